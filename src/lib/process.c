/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a program in a process with limits.
 *
 * A decoder of pictures reads what strangers send, so what it may do is bounded before it starts: by limits of the system (setrlimit) on time,
 * memory, files and what it writes; by a filter of system calls (seccomp) that lets it neither start processes nor open sockets; and by its
 * environment and the two files that are open. It may open others, as the user of this process.
 *
 *     this thread    fork -> the child: limits, filter, files, exec
 *                    wait for its end; after limits->time, SIGKILL for its process group
 *
 * Other threads of this process may hold any lock while this one forks, so the child calls nothing but system calls. If the process is killed,
 * the kernel kills the child (PR_SET_PDEATHSIG).
 */
#include "lib/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>

#include "lib/time.h"

#define EXIT_MISSING 127 /* as shells have it */
#define PAUSE apr_time_from_msec(5)

/* ---- the filter ---- */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ANSWER(answer) BPF_STMT(BPF_RET | BPF_K, answer)
#define REFUSE(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), ANSWER(SECCOMP_RET_ERRNO | EPERM)

/* Threads are created by clone3, or by clone where the kernel does not know that; only of clone can a filter see what for. */
static struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    ANSWER(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
#ifdef __NR_fork
    REFUSE(fork),
    REFUSE(vfork),
#endif
    REFUSE(socket),
    REFUSE(socketpair),
    REFUSE(ptrace),
    REFUSE(process_vm_readv),
    REFUSE(process_vm_writev),
    REFUSE(kill),
    REFUSE(bpf),
    REFUSE(io_uring_setup),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
    ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3),
    LOAD(args[0]),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 1, 0),
    ANSWER(SECCOMP_RET_ERRNO | EPERM),
    ANSWER(SECCOMP_RET_ALLOW),
};
static const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

/* A kernel without such filters runs the program without one. */
static void set_filter(void)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) {
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }
}
#else
static void set_filter(void)
{
}
#endif

/* ---- the child ---- */

static int set_limit(int resource, rlim_t most)
{
    const struct rlimit limit = {most, most};

    return setrlimit((__rlimit_resource_t)resource, &limit);
}

static int set_limits(const cat_process_limits_t *limits)
{
    return set_limit(RLIMIT_CPU, (rlim_t)limits->cpu) || set_limit(RLIMIT_AS, limits->memory) ||
           set_limit(RLIMIT_FSIZE, limits->file) || set_limit(RLIMIT_NOFILE, (rlim_t)limits->files) ||
           set_limit(RLIMIT_CORE, 0);
}

static void become_program(const char *const *argv, const char *const *env, int input, int output,
                           const cat_process_limits_t *limits)
{
    int nowhere = open("/dev/null", O_WRONLY);
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid();
    if (nowhere < 0 || dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(nowhere, STDERR_FILENO) < 0) {
        return;
    }
    close_range(STDERR_FILENO + 1, ~0U, 0);
    if (chdir("/") == 0 && set_limits(limits) == 0) {
        set_filter();
        execve(argv[0], (char *const *)argv, (char *const *)env);
    }
}

/* ---- the parent ---- */

/* 0: it has not ended before its time was over. */
static int wait_for_end(pid_t pid, apr_interval_time_t time, int *status)
{
    apr_time_t end = cat_time_monotonic() + time;
    pid_t ended;

    while ((ended = waitpid(pid, status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (cat_time_monotonic() >= end) {
            return 0;
        }
        apr_sleep(PAUSE);
    }
    return 1;
}

static void kill_group(pid_t pid)
{
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL); /* it may not have made its group yet */
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
}

cat_process_result_t cat_process_run(const char *const *argv, const char *const *env, int input, int output,
                                     const cat_process_limits_t *limits)
{
    pid_t parent = getpid(), pid = fork();
    int status = 0;

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (getppid() == parent) { /* else it has been killed already */
            become_program(argv, env, input, output, limits);
        }
        _exit(EXIT_MISSING);
    }
    if (pid < 0) {
        return CAT_PROCESS_MISSING;
    }
    if (!wait_for_end(pid, limits->time, &status)) {
        kill_group(pid);
        return CAT_PROCESS_TOO_LONG;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_MISSING) {
        return CAT_PROCESS_MISSING;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? CAT_PROCESS_DONE : CAT_PROCESS_REFUSED;
}
