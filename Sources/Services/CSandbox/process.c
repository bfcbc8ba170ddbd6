#define _GNU_SOURCE
#include "CSandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int kf_sandbox_create_arena(void) {
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int arena = memfd_create("kingfisher-arena", flags | MFD_NOEXEC_SEAL);
    if (arena < 0 && errno == EINVAL) arena = memfd_create("kingfisher-arena", flags);  // before Linux 6.3
    if (arena < 0) return -1;
    if (fcntl(arena, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL) == 0) return arena;
    int error = errno;
    close(arena);
    errno = error;
    return -1;
}

int kf_sandbox_release_arena(int arena, off_t offset) {
    struct stat status;
    if (fstat(arena, &status) != 0) return -1;
    if (status.st_size <= offset) return 0;
    return fallocate(arena, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, status.st_size - offset);
}

void *kf_sandbox_map_arena(int arena, size_t length) {
    void *start = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, arena, 0);
    return start == MAP_FAILED ? NULL : start;
}

static int add_actions(posix_spawn_file_actions_t *actions, int channel, int arena) {
    int error = 0;
    for (int i = 0; i < 3 && !error; i++) {
        error = posix_spawn_file_actions_addopen(actions, i, "/dev/null", O_RDWR, 0);
    }
    if (!error) error = posix_spawn_file_actions_adddup2(actions, channel, kf_sandbox_channel);
    if (!error) error = posix_spawn_file_actions_adddup2(actions, arena, kf_sandbox_arena);
    if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, kf_sandbox_arena + 1);
    return error;
}

static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (!error) error = posix_spawnattr_setpgroup(attributes, 0);
    const short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP;
    return error ? error : posix_spawnattr_setflags(attributes, flags);
}

static int spawn(
    const char *path, char *const *arguments, char *const *environment, int channel, int arena,
    pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        error = add_actions(&actions, channel, arena);
        if (!error) error = set_attributes(&attributes);
        if (!error) error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int kf_sandbox_spawn(
    const char *path, char *const *arguments, char *const *environment, int channel, int arena,
    pid_t *process, int *descriptor) {
    // Above the numbers that the child uses, so that no dup2 there overwrites the source of another.
    int high_channel = fcntl(channel, F_DUPFD_CLOEXEC, 16);
    int high_arena = fcntl(arena, F_DUPFD_CLOEXEC, 16);
    int error = high_channel < 0 || high_arena < 0
        ? errno
        : spawn(path, arguments, environment, high_channel, high_arena, process);
    if (high_channel >= 0) close(high_channel);
    if (high_arena >= 0) close(high_arena);
    if (error) return error;
    // A descriptor always means this process; after its end, another process may have its number.
    *descriptor = (int)syscall(SYS_pidfd_open, *process, 0);
    if (*descriptor >= 0) return 0;
    error = errno;
    kill(*process, SIGKILL);
    waitpid(*process, NULL, 0);
    return error;
}

const char *kf_sandbox_variable(const char *name) { return secure_getenv(name); }

void kf_sandbox_kill(int descriptor) { syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0); }

bool kf_sandbox_wait(int descriptor, int milliseconds, int *signal, int *status) {
    struct pollfd ended = {.fd = descriptor, .events = POLLIN};
    int ready;
    while ((ready = poll(&ended, 1, milliseconds)) < 0 && errno == EINTR) {}
    if (ready <= 0) return false;
    siginfo_t info = {0};
    if (waitid(P_PIDFD, (id_t)descriptor, &info, WEXITED | WNOHANG) != 0 || info.si_pid == 0) return false;
    *signal = info.si_code == CLD_EXITED ? 0 : info.si_status;
    *status = info.si_code == CLD_EXITED ? info.si_status : 0;
    return true;
}

int64_t kf_sandbox_cpu_time(pid_t process) {
    clockid_t clock;
    struct timespec time;
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}
