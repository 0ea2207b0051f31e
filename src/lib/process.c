/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program in a confined process. A picture decoder reads data from strangers, so these bounds apply before it
 * starts:
 *
 *     limits (setrlimit)    processor time, memory, open files; no file may grow
 *     Landlock              the files it may read; it may write none
 *     a filter (seccomp)    the system calls it may make
 *     no_new_privs          setuid programs give it no privileges
 *
 * The filter lists the calls that a decoder needs. Any other call, also one that a later kernel adds, fails as if the
 * kernel did not have it. For some calls, such as clone3, the C library then uses an older one.
 *
 *     this thread    fork -> the child: files, limits, Landlock, filter, exec
 *                    reads the output; sends SIGKILL to the child's process group at the end of the budget, or if this
 *                    process must stop
 *
 * Other threads may hold locks during the fork, so the child makes system calls only. If this process is killed, the
 * kernel kills the child (PR_SET_PDEATHSIG).
 */
#include "lib/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>

#include "lib/time.h"

#define EXIT_MISSING 127   /* exit status of shells, and of the dynamic linker if a library is missing */
#define CHECK_INTERVAL 100 /* milliseconds between checks of the time */
#define PAUSE apr_time_from_msec(1)
#define READ_SIZE ((apr_size_t)1 << 16)

int cat_process_must_stop(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 && (sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP));
}

/* ---- the seccomp filter ---- */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ANSWER(answer) BPF_STMT(BPF_RET | BPF_K, answer)
#define IS(value, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, otherwise)
#define HAS(bits, otherwise) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, otherwise)
#define ALLOW(call) IS(__NR_##call, 1), ANSWER(SECCOMP_RET_ALLOW)
#define REFUSED ANSWER(SECCOMP_RET_ERRNO | EACCES)

/* ALLOW_IF allows a call only if the lower 32 bits of the argument equal the value; ALLOW_UNLESS, only if the argument
 * has none of the bits. */
#define ALLOW_IF(call, argument, value)                                                                                \
    IS(__NR_##call, 4), LOAD(args[argument]), IS(value, 1), ANSWER(SECCOMP_RET_ALLOW), REFUSED
#define ALLOW_UNLESS(call, argument, bits)                                                                             \
    IS(__NR_##call, 4), LOAD(args[argument]), HAS(bits, 1), REFUSED, ANSWER(SECCOMP_RET_ALLOW)

#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
#define A_THREAD                                                                                                       \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |                 \
     CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

/* A call of another architecture skips LOAD(nr), so its architecture number is compared with the call numbers and
 * matches none. Call numbers of x32 have a bit that none of the listed numbers has. */
static struct sock_filter filter[] = {
    LOAD(arch),
    IS(ARCHITECTURE, 1),
    LOAD(nr),
    /* files */
    ALLOW(read),
    ALLOW(pread64),
    ALLOW(readv),
    ALLOW(write),
    ALLOW(writev),
    ALLOW(lseek),
    ALLOW(close),
    ALLOW(dup),
    ALLOW(fstat),
    ALLOW(newfstatat),
    ALLOW(statx),
    ALLOW(faccessat),
    ALLOW(faccessat2),
    ALLOW(readlinkat),
    ALLOW(getdents64),
    ALLOW(getcwd),
    ALLOW_UNLESS(openat, 2, WRITING),
#ifdef __x86_64__
    ALLOW(stat),
    ALLOW(lstat),
    ALLOW(access),
    ALLOW(readlink),
    ALLOW_UNLESS(open, 1, WRITING),
    ALLOW(arch_prctl),
    ALLOW(time),
#endif
    /* memory */
    ALLOW(brk),
    ALLOW(mmap),
    ALLOW(mremap),
    ALLOW(munmap),
    ALLOW(mprotect),
    ALLOW(madvise),
    /* threads */
    ALLOW_IF(clone, 0, A_THREAD),
    ALLOW(futex),
    ALLOW(set_tid_address),
    ALLOW(set_robust_list),
    ALLOW(rseq),
    ALLOW(gettid),
    ALLOW(sched_yield),
    ALLOW(sched_getaffinity),
    ALLOW(exit),
    /* signals and time */
    ALLOW(rt_sigaction),
    ALLOW(rt_sigprocmask),
    ALLOW(rt_sigreturn),
    ALLOW(sigaltstack),
    ALLOW(restart_syscall),
    ALLOW(nanosleep),
    ALLOW(clock_nanosleep),
    ALLOW(clock_gettime),
    ALLOW(clock_getres),
    ALLOW(gettimeofday),
    /* the process */
    ALLOW(execve),
    ALLOW(exit_group),
    ALLOW(getpid),
    ALLOW(getuid),
    ALLOW(geteuid),
    ALLOW(getgid),
    ALLOW(getegid),
    ALLOW(getresuid),
    ALLOW(getresgid),
    ALLOW_IF(prlimit64, 0, 0), /* the limits of this process only */
    ALLOW(getrusage),
    ALLOW(getrandom),
    ALLOW(sysinfo),
    ALLOW(uname),
    ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
};
static const struct sock_fprog filter_program = {sizeof(filter) / sizeof(filter[0]), filter};

/* Passes a NULL filter: a kernel that has seccomp filters answers EFAULT. */
static int has_filters(void)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) < 0 && errno == EFAULT;
}

/* Returns 0 if the kernel has seccomp filters but refuses this one. */
static int set_filter(void)
{
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter_program) == 0 || !has_filters();
}
#else
static int set_filter(void)
{
    return 1;
}
#endif

/* ---- Landlock ---- */

#define READABLE_FILE (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE)
#define READABLE (READABLE_FILE | LANDLOCK_ACCESS_FS_READ_DIR)

/* Returns all rights to files that the kernel's version of Landlock can restrict. A program then has only the rights
 * that rules grant. Returns 0 if the kernel has no Landlock. */
static __u64 find_rights(void)
{
    static const int counts[] = {0, 13, 14, 15, 15, 16};
    long version = syscall(__NR_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    int last = sizeof(counts) / sizeof(counts[0]) - 1;

    return version < 1 ? 0 : (1ULL << counts[version < last ? version : last]) - 1;
}

static void allow_path(int rules, const char *path, __u64 rights)
{
    const struct landlock_path_beneath_attr rule = {rights, open(path, O_PATH | O_CLOEXEC)};

    if (rule.parent_fd >= 0) {
        syscall(__NR_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
        close(rule.parent_fd);
    }
}

/* Allows a program to read the files that programs consist of. Files that are already open stay usable. Returns 0 if
 * the kernel has Landlock but refuses the rules. */
static int set_landlock(const char *program)
{
    static const char *const directories[] = {"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/opt"};
    const struct landlock_ruleset_attr attr = {.handled_access_fs = find_rights()};
    int rules = attr.handled_access_fs ? (int)syscall(__NR_landlock_create_ruleset, &attr, sizeof(attr), 0) : -1;
    long is_refused;

    if (rules < 0) {
        return !attr.handled_access_fs;
    }
    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        allow_path(rules, directories[i], READABLE);
    }
    allow_path(rules, "/etc/ld.so.cache", READABLE_FILE);
    allow_path(rules, "/etc/ld.so.preload", READABLE_FILE);
    allow_path(rules, program, READABLE_FILE);
    is_refused = syscall(__NR_landlock_restrict_self, rules, 0);
    close(rules);
    return !is_refused;
}

const char *cat_process_lack(void)
{
    if (!find_rights()) {
        return "the kernel has no Landlock";
    }
#ifdef ARCHITECTURE
    return has_filters() ? NULL : "the kernel has no seccomp filters";
#else
    return "mod_catalog has no filter of system calls for processors of this kind";
#endif
}

/* ---- the child ---- */

/* Sets a soft limit of `most` and a hard limit of `most` + `more`. Keeps a lower limit that is already set. */
static void set_limit(__rlimit_resource_t resource, rlim_t most, rlim_t more)
{
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

    getrlimit(resource, &limit);
    limit.rlim_max = most + more < limit.rlim_max ? most + more : limit.rlim_max;
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    setrlimit(resource, &limit);
}

/* The kernel sends SIGXCPU at the soft limit of processor time, and SIGKILL at the hard limit. The limits differ
 * because SIGKILL can have other causes. */
static void set_limits(const cat_process_t *program, rlim_t seconds)
{
    set_limit(RLIMIT_CPU, seconds, 1);
    set_limit(RLIMIT_AS, program->memory, 0);
    set_limit(RLIMIT_NOFILE, (rlim_t)program->files, 0);
    set_limit(RLIMIT_FSIZE, 0, 0);
    set_limit(RLIMIT_CORE, 0, 0);
}

/* Removes httpd's signal handlers, which must not run in the child. Also resets ignored signals, because exec would
 * keep them ignored. */
static void reset_signals(void)
{
    sigset_t none;

    for (int i = 1; i < NSIG; i++) {
        signal(i, SIG_DFL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void become_program(const cat_process_t *program, int output, int nowhere, rlim_t seconds)
{
    reset_signals();
    setsid();
    if (dup2(program->input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0 ||
        chdir("/") != 0) {
        return;
    }
    closefrom(STDERR_FILENO + 1);
    set_limits(program, seconds);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && set_landlock(program->argv[0]) && set_filter()) {
        execve(program->argv[0], (char *const *)program->argv, (char *const *)program->env);
    }
}

/* Returns the child's process id, or -1 with the reason in errno. */
static pid_t start(const cat_process_t *program, int output, rlim_t seconds)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pid_t parent = getpid(), pid = nowhere < 0 ? -1 : fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (getppid() == parent) { /* otherwise the parent has died already */
            become_program(program, output, nowhere, seconds);
        }
        _exit(EXIT_MISSING);
    }
    if (nowhere >= 0) {
        close(nowhere);
    }
    return pid;
}

/* ---- the parent ---- */

typedef struct run_t {
    pid_t pid;
    int from; /* read end of the pipe that is the program's standard output */
    apr_size_t most;
    apr_time_t end;
    cat_buffer_t *output;
    int status;
    struct rusage usage;
} run_t;

/* Returns CAT_PROCESS_DONE if the program may continue. */
static cat_process_result_t check_time(const run_t *r)
{
    return cat_time_monotonic() >= r->end ? CAT_PROCESS_TOO_LONG
           : cat_process_must_stop()      ? CAT_PROCESS_STOPPED
                                          : CAT_PROCESS_DONE;
}

/* Returns CAT_PROCESS_DONE at the end of the output. */
static cat_process_result_t read_output(run_t *r)
{
    cat_process_result_t result = CAT_PROCESS_DONE;
    ssize_t got = -1;

    while (got != 0 && result == CAT_PROCESS_DONE) {
        struct pollfd from = {.fd = r->from, .events = POLLIN};
        if (poll(&from, 1, CHECK_INTERVAL) > 0) {
            cat_buffer_reserve(r->output, READ_SIZE);
            got = read(r->from, r->output->data + r->output->length, READ_SIZE);
            r->output->length += got > 0 ? (apr_size_t)got : 0;
        }
        result = r->output->length > r->most ? CAT_PROCESS_REFUSED : check_time(r);
    }
    return result;
}

/* Waits for the program, which normally exits right after its output, unless an attacker has taken it over. Returns
 * CAT_PROCESS_DONE when it has exited. If another module lets the system discard exit statuses (SIGCHLD ignored), the
 * status is unknown and counts as 0. */
static cat_process_result_t wait_for_end(run_t *r)
{
    cat_process_result_t result = CAT_PROCESS_DONE;
    pid_t ended;

    while (((ended = wait4(r->pid, &r->status, WNOHANG, &r->usage)) == 0 || (ended < 0 && errno == EINTR)) &&
           result == CAT_PROCESS_DONE) {
        apr_sleep(PAUSE);
        result = check_time(r);
    }
    return ended == r->pid ? CAT_PROCESS_DONE : result;
}

static void kill_group(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL); /* the child may not have its own process group yet */
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

static cat_process_result_t judge(int status)
{
    if (WIFEXITED(status)) {
        return WEXITSTATUS(status) == 0              ? CAT_PROCESS_DONE
               : WEXITSTATUS(status) == EXIT_MISSING ? CAT_PROCESS_MISSING
                                                     : CAT_PROCESS_REFUSED;
    }
    return WTERMSIG(status) == SIGXCPU   ? CAT_PROCESS_SPENT
           : WTERMSIG(status) == SIGKILL ? CAT_PROCESS_KILLED
                                         : CAT_PROCESS_REFUSED;
}

static apr_interval_time_t to_time(struct timeval time)
{
    return apr_time_make(time.tv_sec, time.tv_usec);
}

static cat_process_result_t attend(run_t *r, cat_process_budget_t *budget)
{
    cat_process_result_t result = read_output(r);

    result = result == CAT_PROCESS_DONE ? wait_for_end(r) : result;
    if (result != CAT_PROCESS_DONE) {
        kill_group(r->pid);
        return result;
    }
    budget->cpu -= to_time(r->usage.ru_utime) + to_time(r->usage.ru_stime);
    return judge(r->status);
}

cat_process_result_t cat_process_run(const cat_process_t *program, cat_process_budget_t *budget, cat_buffer_t *output)
{
    run_t r = {.most = output->length + program->output, .end = budget->end, .output = output};
    int ends[2];
    cat_process_result_t result;

    if (budget->cpu < APR_USEC_PER_SEC) {
        return CAT_PROCESS_SPENT;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return CAT_PROCESS_FAULT;
    }
    r.from = ends[0];
    r.pid = start(program, ends[1], (rlim_t)(budget->cpu / APR_USEC_PER_SEC));
    close(ends[1]);
    result = r.pid > 0 ? attend(&r, budget) : CAT_PROCESS_FAULT;
    close(ends[0]);
    return result;
}
