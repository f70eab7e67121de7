#define _GNU_SOURCE
#include "CSeal.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ROOMS_SANITIZED 1
#endif
#endif

static void bound(int resource, long value, long last) {
    if (value <= 0) return;
    struct rlimit limit = {.rlim_cur = (rlim_t)value, .rlim_max = (rlim_t)last};
    setrlimit(resource, &limit);
}

void rooms_limit_process(const struct rooms_process_limits *limits) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    // At the last second the kernel sends SIGKILL, as whoever has too little memory does. SIGXCPU, which comes before, says why.
    bound(RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1);
    bound(RLIMIT_FSIZE, limits->file_bytes, limits->file_bytes);
#ifndef ROOMS_SANITIZED
    bound(RLIMIT_AS, limits->memory_bytes, limits->memory_bytes);
#endif
    // Too large a file is an error of that write, not the end without a word.
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    // The process that started this one has gone, so no result is needed.
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

#if defined(__x86_64__)
#define ROOMS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ROOMS_ARCH AUDIT_ARCH_AARCH64
#endif

#if defined(ROOMS_SANITIZED)

// A sanitizer, with which only tests are built, needs more than the seal leaves.
bool rooms_seal_process(void) { return true; }

#elif defined(ROOMS_ARCH)

// What a process needs that computes on memory and on files that it has open.
static const unsigned short allowed[] = {
    __NR_read, __NR_write, __NR_readv, __NR_writev, __NR_pread64, __NR_pwrite64, __NR_lseek, __NR_close, __NR_fstat,
    __NR_ftruncate, __NR_fcntl, __NR_dup, __NR_dup3, __NR_ppoll, __NR_mmap, __NR_mprotect, __NR_munmap, __NR_mremap,
    __NR_madvise, __NR_brk, __NR_futex, __NR_set_robust_list, __NR_rseq, __NR_sigaltstack, __NR_rt_sigaction,
    __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_sched_yield, __NR_sched_getaffinity, __NR_getrandom,
    __NR_clock_gettime, __NR_clock_getres, __NR_clock_nanosleep, __NR_nanosleep, __NR_gettimeofday, __NR_gettid,
    __NR_getpid, __NR_tgkill, __NR_sysinfo, __NR_uname, __NR_getrusage, __NR_set_tid_address, __NR_restart_syscall,
    __NR_eventfd2, __NR_exit, __NR_exit_group,
#ifdef __x86_64__
    __NR_poll, __NR_dup2, __NR_arch_prctl,
#endif
};

#define ALLOWED_COUNT (sizeof allowed / sizeof *allowed)
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define ANSWER(value) BPF_STMT(BPF_RET | BPF_K, (value))

static bool has_one_thread(void) {
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3;
}

// seccomp(2) puts the filter on all threads, of which libraries may have started some. prctl(2) puts it on one, but is
// there where seccomp(2) is refused, as by systemd's group @system-service.
static bool install(const struct sock_fprog *filter) {
    if (syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, filter) == 0) return true;
    return has_one_thread() && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter, 0, 0) == 0;
}

bool rooms_seal_process(void) {
    struct sock_filter program[32 + 2 * ALLOWED_COUNT];
    unsigned short count = 0;
    const struct sock_filter head[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ROOMS_ARCH, 1, 0),
        ANSWER(SECCOMP_RET_KILL_PROCESS),
        LOAD(nr),
        // A new one whose arguments no filter can see: the C library then takes the old one.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone3, 0, 1),
        ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
        // Threads, but no processes.
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4),
        LOAD(args[0]),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
        ANSWER(SECCOMP_RET_ALLOW),
        ANSWER(SECCOMP_RET_ERRNO | EPERM),
    };
    for (size_t i = 0; i < sizeof head / sizeof *head; i++) program[count++] = head[i];
    for (size_t i = 0; i < ALLOWED_COUNT; i++) {
        program[count++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], 0, 1);
        program[count++] = (struct sock_filter)ANSWER(SECCOMP_RET_ALLOW);
    }
    program[count++] = (struct sock_filter)ANSWER(SECCOMP_RET_ERRNO | EPERM);
    const struct sock_fprog filter = {.len = count, .filter = program};
    return install(&filter);
}

#else

// There is no filter for this processor.
bool rooms_seal_process(void) { return false; }

#endif
