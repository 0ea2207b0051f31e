/* SPDX-License-Identifier: Apache-2.0 */
/* The program that is run is this one, with the name of what it does; it prints what it must not be able to do. */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "lib/process.h"
#include "lib/time.h"

#define SECOND APR_USEC_PER_SEC

/* A sanitizer's library needs what the filter refuses. */
#ifdef __SANITIZE_ADDRESS__
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/* ---- the program ---- */

typedef struct call_t {
    const char *name;
    long number;
} call_t;

#define CALL(name) {#name, SYS_##name}

/* Arguments of -1 are wrong for each of them, so a kernel that has the call does nothing, and says something else than ENOSYS. */
static const call_t refused[] = {
    CALL(kill),
    CALL(tkill),
    CALL(tgkill),
    CALL(rt_sigqueueinfo),
    CALL(rt_tgsigqueueinfo),
    CALL(pidfd_open),
    CALL(pidfd_send_signal),
    CALL(pidfd_getfd),
    CALL(ptrace),
    CALL(process_vm_readv),
    CALL(process_vm_writev),
    CALL(process_madvise),
    CALL(kcmp),
    CALL(clone3),
    CALL(unshare),
    CALL(setns),
    CALL(execveat),
    CALL(memfd_create),
    CALL(prctl),
    CALL(seccomp),
    CALL(socket),
    CALL(socketpair),
    CALL(connect),
    CALL(bind),
    CALL(sendto),
    CALL(sendmsg),
    CALL(io_uring_setup),
    CALL(io_setup),
    CALL(userfaultfd),
    CALL(bpf),
    CALL(perf_event_open),
    CALL(add_key),
    CALL(request_key),
    CALL(keyctl),
    CALL(mount),
    CALL(umount2),
    CALL(pivot_root),
    CALL(chroot),
    CALL(open_tree),
    CALL(move_mount),
    CALL(fsopen),
    CALL(openat2),
    CALL(open_by_handle_at),
    CALL(truncate),
    CALL(ftruncate),
    CALL(fallocate),
    CALL(unlinkat),
    CALL(renameat2),
    CALL(linkat),
    CALL(symlinkat),
    CALL(mkdirat),
    CALL(fchmodat),
    CALL(fchownat),
    CALL(utimensat),
    CALL(setxattr),
    CALL(fcntl),
    CALL(ioctl),
    CALL(setpriority),
    CALL(sched_setscheduler),
    CALL(timer_create),
    CALL(shmget),
    CALL(mq_open),
#ifdef __x86_64__
    CALL(fork),
    CALL(vfork),
    CALL(creat),
    CALL(unlink),
    CALL(modify_ldt),
    {"socket of x32", 0x40000000 | SYS_socket},
#endif
};

static void try_call(const call_t *call)
{
    long result = syscall(call->number, -1, -1, -1, -1, -1, -1);

    if (result == 0 && strstr(call->name, "fork")) {
        _exit(0); /* it is the child */
    }
    if (result != -1 || errno != ENOSYS) {
        printf("%s ", call->name);
    }
}

static void try_open(const char *path, int flags)
{
    if (open(path, flags, 0600) >= 0 || errno != EACCES) {
        printf("open(%s, %d) ", path, flags);
    }
}

static void *do_nothing(void *unused)
{
    return unused;
}

static void try_clone(long flags)
{
    long result = syscall(SYS_clone, flags, 0, 0, 0, 0);

    if (result == 0) {
        _exit(0);
    }
    if (result > 0) {
        printf("clone(%lx) ", flags);
    }
}

/* What is allowed for some arguments only. */
static void try_arguments(void)
{
    struct rlimit limit;
    pthread_t thread;

    try_clone(SIGCHLD);
    try_clone(CLONE_NEWUSER | SIGCHLD);
    if (prlimit(getppid(), RLIMIT_NOFILE, NULL, &limit) == 0) {
        printf("the limits of another process ");
    }
    if (prlimit(0, RLIMIT_NOFILE, NULL, &limit) != 0 || limit.rlim_max != 32) {
        printf("no limit of its own ");
    }
    if (pthread_create(&thread, NULL, do_nothing, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        printf("no thread ");
    }
}

/* secret: a file that its user may read and write. */
static void try_files(const char *secret)
{
    struct stat info;
    char octet;

    try_open(secret, O_RDONLY);
    try_open(secret, O_WRONLY);
    try_open(secret, O_RDWR | O_TRUNC);
    try_open("/tmp", O_RDWR | O_TMPFILE);
    try_open("/etc/passwd", O_RDONLY);
    try_open("/proc/self/status", O_RDONLY);
    try_open("/dev/null", O_RDONLY);
    try_open("/usr/bin/env", O_RDWR);
    try_open("/var", O_RDONLY | O_DIRECTORY);
    for (int fd = STDERR_FILENO + 1; fd < 100; fd++) {
        if (fstat(fd, &info) == 0) {
            printf("file %d ", fd);
        }
    }
    if (open("/usr/bin/env", O_RDONLY) < 0) {
        printf("no programs ");
    }
    if (read(STDIN_FILENO, &octet, 1) != 1 || octet != 'x' || write(STDIN_FILENO, "y", 1) == 1) {
        printf("input ");
    }
    if (getenv("PATH") || !getenv("GIVEN")) {
        printf("environment ");
    }
}

static int be_program(const char *what, const char *argument)
{
    if (!strcmp(what, "try")) {
        signal(SIGXFSZ, SIG_IGN);
        for (size_t i = 0; i < UNIT_COUNT(refused); i++) {
            try_call(&refused[i]);
        }
        try_arguments();
        try_files(argument);
        printf("done");
    } else if (!strcmp(what, "privileges")) {
        char line[200];
        FILE *in = fopen("/proc/self/status", "r");
        while (in && fgets(line, sizeof(line), in)) {
            printf("%s", strncmp(line, "NoNewPrivs:", 11) ? "" : line);
        }
    } else if (!strcmp(what, "spin")) {
        for (volatile int i = 0;; i++) {
        }
    } else if (!strcmp(what, "work")) {
        while (clock() < CLOCKS_PER_SEC / 5) {
        }
    } else if (!strcmp(what, "sleep")) {
        sleep(60);
    } else if (!strcmp(what, "hide")) {
        close(STDOUT_FILENO);
        sleep(60);
    } else if (!strcmp(what, "print")) {
        for (int i = 0; i < 2000; i++) {
            printf("x");
        }
    } else if (!strcmp(what, "abort")) {
        abort();
    }
    fflush(stdout);
    _exit(!strcmp(what, "fail") ? 3 : 0);
}

/* ---- running it ---- */

static char self[4096];
static const char *const environment[] = {"GIVEN=1", NULL};

typedef struct outcome_t {
    cat_process_result_t result;
    cat_process_budget_t budget; /* what is left */
    const char *text;
    apr_interval_time_t took;
} outcome_t;

static outcome_t run_within(apr_pool_t *pool, const char *what, const char *argument, cat_process_budget_t budget)
{
    const char *const argv[] = {self, what, argument, NULL};
    cat_process_t program = {argv, environment, -1, APR_UINT64_C(1) << 30, 32, 1000};
    FILE *input = tmpfile();
    apr_time_t begun = cat_time_monotonic();
    cat_buffer_t output;
    outcome_t o;

    assert_non_null(input);
    fputs("x", input);
    rewind(input);
    program.input = fileno(input);
    cat_buffer_init(&output, pool, 1);
    o.result = cat_process_run(&program, &budget, &output);
    o.text = cat_buffer_text(&output);
    o.took = cat_time_monotonic() - begun;
    o.budget = budget;
    fclose(input);
    return o;
}

static outcome_t run(apr_pool_t *pool, const char *what)
{
    return run_within(pool, what, NULL, (cat_process_budget_t){cat_time_monotonic() + 60 * SECOND, 20 * SECOND});
}

/* ---- tests ---- */

static void test_a_program_can_do_nothing_but_its_work(void **state)
{
    char secret[] = "/tmp/test_process.XXXXXX";
    int fd = mkstemp(secret);
    const cat_process_budget_t budget = {cat_time_monotonic() + 60 * SECOND, 20 * SECOND};
    outcome_t o;

    if (IS_SANITIZED) {
        skip();
    }
    if (cat_process_lack()) {
        print_message("%s\n", cat_process_lack());
        skip();
    }
    assert_true(fd >= 0);
    o = run_within(*state, "try", secret, budget);
    close(fd);
    unlink(secret);
    assert_int_equal(o.result, CAT_PROCESS_DONE);
    assert_string_equal(o.text, "done");
}

static void test_how_it_ended_is_told(void **state)
{
    const char *const nowhere[] = {"/nowhere/program", NULL};
    const cat_process_t missing = {nowhere, environment, STDIN_FILENO, APR_UINT64_C(1) << 30, 32, 1000};
    cat_process_budget_t budget = {cat_time_monotonic() + 60 * SECOND, 20 * SECOND};
    cat_buffer_t output;

    if (IS_SANITIZED) {
        skip();
    }
    cat_buffer_init(&output, *state, 1);
    assert_int_equal(cat_process_run(&missing, &budget, &output), CAT_PROCESS_MISSING);
    assert_int_equal(run(*state, "fail").result, CAT_PROCESS_REFUSED);
    assert_int_equal(run(*state, "abort").result, CAT_PROCESS_REFUSED);
    assert_int_equal(run(*state, "print").result, CAT_PROCESS_REFUSED);
}

static void test_the_budget_is_for_all_programs(void **state)
{
    apr_time_t now = cat_time_monotonic();
    outcome_t o;

    if (IS_SANITIZED) {
        skip();
    }
    o = run(*state, "work");
    assert_int_equal(o.result, CAT_PROCESS_DONE);
    assert_true(o.budget.cpu <= 20 * SECOND - SECOND / 6);
    assert_int_equal(run_within(*state, "spin", NULL, (cat_process_budget_t){now + 60 * SECOND, SECOND}).result,
                     CAT_PROCESS_SPENT);
    o = run_within(*state, "work", NULL, (cat_process_budget_t){now + 60 * SECOND, SECOND - 1});
    assert_int_equal(o.result, CAT_PROCESS_SPENT);
    assert_string_equal(o.text, "");
    o = run_within(*state, "sleep", NULL, (cat_process_budget_t){cat_time_monotonic() + SECOND / 5, 20 * SECOND});
    assert_int_equal(o.result, CAT_PROCESS_TOO_LONG);
    assert_true(o.took < 30 * SECOND);
    o = run_within(*state, "hide", NULL, (cat_process_budget_t){cat_time_monotonic() + SECOND / 2, 20 * SECOND});
    assert_int_equal(o.result, CAT_PROCESS_TOO_LONG);
}

static void test_a_process_that_must_stop_waits_for_no_program(void **state)
{
    sigset_t term, before;
    outcome_t o;
    int signal;

    if (IS_SANITIZED) {
        skip();
    }
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &term, &before);
    assert_false(cat_process_must_stop());
    kill(getpid(), SIGTERM);
    assert_true(cat_process_must_stop());
    o = run(*state, "sleep");
    sigwait(&term, &signal);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    assert_int_equal(o.result, CAT_PROCESS_STOPPED);
    assert_true(o.took < 30 * SECOND);
    assert_false(cat_process_must_stop());
}

static void test_without_files_there_is_no_process(void **state)
{
    struct rlimit before, none;
    const char *const argv[] = {self, "fail", NULL};
    const cat_process_t program = {argv, environment, STDIN_FILENO, APR_UINT64_C(1) << 30, 32, 1000};
    cat_process_budget_t budget = {cat_time_monotonic() + 60 * SECOND, 20 * SECOND};
    cat_process_result_t result;
    cat_buffer_t output;

    cat_buffer_init(&output, *state, 1);
    getrlimit(RLIMIT_NOFILE, &before);
    none = (struct rlimit){0, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    errno = 0;
    result = cat_process_run(&program, &budget, &output);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(result, CAT_PROCESS_FAULT);
    assert_int_equal(errno, EMFILE);
}

static void set_filter(struct sock_filter *filter, unsigned short count)
{
    const struct sock_fprog program = {count, filter};

    if (geteuid() != 0) { /* else the program must get it */
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    }
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* Has the kernel answer as one does that knows neither Landlock nor filters. */
static void become_older(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    set_filter(filter, UNIT_COUNT(filter));
}

/* Has the kernel answer as one does that knows Landlock, but has no memory for more rules. */
static void become_short(void)
{
    static struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_restrict_self, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    set_filter(filter, UNIT_COUNT(filter));
}

static void test_an_older_kernel_runs_it_too(void **state)
{
    int status;
    pid_t pid;

    if (IS_SANITIZED) {
        skip();
    }
    pid = fork();
    if (pid == 0) {
        outcome_t o;
        become_older();
        o = run(*state, "privileges");
        _exit(o.result == CAT_PROCESS_DONE && !strcmp(o.text, "NoNewPrivs:\t1\n") &&
                      !strcmp(cat_process_lack(), "the kernel has no Landlock")
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void test_a_program_that_cannot_be_confined_does_not_run(void **state)
{
    int status;
    pid_t pid;

    if (IS_SANITIZED || cat_process_lack()) {
        skip();
    }
    pid = fork();
    if (pid == 0) {
        become_short();
        _exit(run(*state, "work").result == CAT_PROCESS_MISSING ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST(test_a_program_can_do_nothing_but_its_work),
        UNIT_TEST(test_how_it_ended_is_told),
        UNIT_TEST(test_the_budget_is_for_all_programs),
        UNIT_TEST(test_a_process_that_must_stop_waits_for_no_program),
        UNIT_TEST(test_without_files_there_is_no_process),
        UNIT_TEST(test_an_older_kernel_runs_it_too),
        UNIT_TEST(test_a_program_that_cannot_be_confined_does_not_run),
    };

    if (argc > 1) {
        return be_program(argv[1], argv[2]);
    }
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0) {
        return 1;
    }
    return UNIT_RUN(tests);
}
