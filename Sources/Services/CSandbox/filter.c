#define _GNU_SOURCE
#include "filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CSandbox.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(ARCHITECTURE) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

// The low half of an argument. No high half changes the meaning of the arguments that are checked here.
#define ARGUMENT(index) \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 8 * (index))
#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##action)

// Allows a call.
#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), RETURN(ALLOW)

#define FAIL(error) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

// Answers a call without doing it: with an error number, or with success if it is 0.
#define ANSWER(name, error) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), FAIL(error)

// Allows a call if the argument has none of these bits; otherwise `other` follows.
#define ALLOW_WITHOUT_OR(name, index, bits, other) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), ARGUMENT(index), \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0), RETURN(ALLOW), other
#define ALLOW_WITHOUT(name, index, bits) ALLOW_WITHOUT_OR(name, index, bits, RETURN(KILL_PROCESS))

// Allows a call if the argument has this value; otherwise `other` follows.
#define ALLOW_WITH_OR(name, index, value, other) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 4), ARGUMENT(index), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), RETURN(ALLOW), other
#define ALLOW_WITH(name, index, value) ALLOW_WITH_OR(name, index, value, RETURN(KILL_PROCESS))

// Allows a call if two arguments have these values.
#define ALLOW_WITH_BOTH(name, index, value, other, otherValue) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 6), ARGUMENT(index), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 3), ARGUMENT(other), \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, otherValue, 0, 1), RETURN(ALLOW), RETURN(KILL_PROCESS)

// The flags of a thread in glibc: pthread_create(3) passes exactly these.
#define THREAD \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS \
     | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

static const struct sock_filter start[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
    RETURN(KILL_PROCESS),
    NUMBER,
    // The channel.
    ALLOW_WITH(recvfrom, 0, kf_sandbox_channel),
    ALLOW_WITH(sendto, 0, kf_sandbox_channel),
    // Memory, none of it executable.
    ALLOW_WITHOUT(mmap, 2, PROT_EXEC),
    ALLOW_WITHOUT(mprotect, 2, PROT_EXEC),
    ALLOW(munmap),
    ALLOW(mremap),
    ALLOW(madvise),
    ALLOW(brk),
    // Locks, clocks except clocks of other processes, hash seeds, and the size of the memory for qsort.
    ALLOW(futex),
    ALLOW(sched_yield),
    ALLOW_WITHOUT(clock_gettime, 0, 0x80000000),
    ALLOW(gettimeofday),
    ALLOW(getrandom),
    ALLOW(sysinfo),
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
};

// Opening and reading fonts, where Landlock allows it, and starting threads, which Pango does for each new
// font.
static const struct sock_filter fonts[] = {
    ALLOW_WITHOUT_OR(openat, 2, ~(uint32_t)O_CLOEXEC, FAIL(EACCES)),
    ALLOW(read),
    ALLOW(pread64),
    ALLOW(lseek),
    ALLOW(close),
    ALLOW(fstat),
    ALLOW_WITH_OR(newfstatat, 3, AT_EMPTY_PATH, FAIL(EACCES)),
    ALLOW_WITH(fcntl, 1, F_SETFD),
    // Whether a font may be read is known when it is opened.
#if defined(__NR_access)
    ANSWER(access, 0),
#endif
    ANSWER(faccessat, 0),
    ALLOW_WITH(clone, 0, THREAD),
    ANSWER(clone3, ENOSYS),  // Its flags are in memory; glibc uses clone then.
    ALLOW_WITH(prctl, 0, PR_SET_NAME),
    ALLOW(rseq),
    ALLOW(set_robust_list),
    ALLOW(sched_getaffinity),
    // GLib asks both about standard error before it writes a warning.
    ANSWER(getpeername, ENOTSOCK),
    ANSWER(ioctl, ENOTTY),
};

static void append(struct sock_fprog *program, const struct sock_filter *part, size_t size) {
    memcpy(program->filter + program->len, part, size);
    program->len += (unsigned short)(size / sizeof *part);
}

bool kf_sandbox_install_filter(bool opens_fonts) {
    const struct sock_filter end[] = {
        ALLOW_WITH_BOTH(tgkill, 0, (uint32_t)getpid(), 2, SIGABRT),
        RETURN(KILL_PROCESS),
    };
    struct sock_filter filter[(sizeof start + sizeof fonts + sizeof end) / sizeof *start];
    struct sock_fprog program = {.len = 0, .filter = filter};
    append(&program, start, sizeof start);
    if (opens_fonts) append(&program, fonts, sizeof fonts);
    append(&program, end, sizeof end);
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

bool kf_sandbox_install_filter(bool opens_fonts) {
    (void)opens_fonts;
    return false;
}

#endif
