#define _GNU_SOURCE
#include "filter.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CSandbox.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(ARCHITECTURE) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

// The low half of an argument. The kernel ignores the high half of the arguments that are checked here.
#define ARGUMENT(index) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (index))
#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##action)

// Allows a call.
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), RETURN(ALLOW)

// Allows a call if the argument has none of these bits.
#define ALLOW_WITHOUT(name, index, bits) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), ARGUMENT(index), \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), RETURN(ALLOW), RETURN(KILL_PROCESS)

// Allows a call if the argument has this value.
#define ALLOW_WITH(name, index, value) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), ARGUMENT(index), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), RETURN(ALLOW), RETURN(KILL_PROCESS)

// Allows a call if two arguments have these values.
#define ALLOW_WITH_BOTH(name, index, value, other, otherValue) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 6), ARGUMENT(index), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 3), ARGUMENT(other), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, otherValue, 0, 1), RETURN(ALLOW), RETURN(KILL_PROCESS)

bool sandbox_install_filter(void) {
    const uint32_t self = (uint32_t)getpid();
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        RETURN(KILL_PROCESS),
        NUMBER,
        // The channel.
        ALLOW_WITH(recvfrom, 0, sandbox_channel),
        ALLOW_WITH(sendto, 0, sandbox_channel),
        // Memory, none of it executable.
        ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
        ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
        ALLOW(munmap),
        ALLOW(mremap),
        ALLOW(madvise),
        ALLOW(brk),
        // Locks, clocks, hash seeds.
        ALLOW(futex),
        ALLOW(sched_yield),
        ALLOW(clock_gettime),
        ALLOW(gettimeofday),
        ALLOW(getrandom),
        // Messages of libraries, which go to /dev/null.
        ALLOW_WITH(write, 0, STDERR_FILENO),
        ALLOW_WITH(writev, 0, STDERR_FILENO),
        // The end: exit, and abort.
        ALLOW(exit),
        ALLOW(exit_group),
        ALLOW(rt_sigreturn),
        ALLOW(rt_sigprocmask),
        ALLOW(getpid),
        ALLOW(gettid),
        ALLOW_WITH_BOTH(tgkill, 0, self, 2, SIGABRT),
        RETURN(KILL_PROCESS),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

bool sandbox_install_filter(void) { return false; }

#endif
