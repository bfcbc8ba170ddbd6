// deny-calls docker|old-docker PROGRAM ARGUMENT...: runs a program without the system calls that Docker
// denies by default to a container without capabilities, as far as they concern a sandbox; `old-docker` is
// before 20.10.16, which does not know Landlock. They fail with EPERM, as they do there.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define DENY(name) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW_OTHERS BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter docker[] = {
    NUMBER, DENY(unshare), DENY(setns), DENY(mount), DENY(umount2), DENY(pivot_root), DENY(keyctl), DENY(bpf),
    DENY(perf_event_open), DENY(userfaultfd), DENY(add_key), DENY(request_key), ALLOW_OTHERS,
};

static struct sock_filter landlock[] = {
    NUMBER, DENY(landlock_create_ruleset), DENY(landlock_restrict_self), ALLOW_OTHERS,
};

static int install(struct sock_filter *filter, size_t size) {
    struct sock_fprog program = {.len = (unsigned short)(size / sizeof *filter), .filter = filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int count, char **arguments) {
    if (count < 3) return 2;
    const int old = strcmp(arguments[1], "old-docker") == 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || install(docker, sizeof docker)
        || (old && install(landlock, sizeof landlock))) {
        perror("deny-calls");
        return 1;
    }
    execvp(arguments[2], arguments + 2);
    perror(arguments[2]);
    return 1;
}
