#define _GNU_SOURCE
#include "CSandbox.h"
#include "filter.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif
#ifndef UNDER_SANITIZER
#define UNDER_SANITIZER 0
#endif

// The user and group 65534, to which no file belongs.
static const unsigned unprivileged = 65534;

// Of the network, of System V and of the host name. None of processes, which would need one more of them;
// none of mounts, because files are closed by Landlock and by the filter of system calls.
static const int spaces = CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

// Whether this process is in a separate user namespace, in which the kernel counts its threads.
static bool counts_alone = false;

// Only root can change its identity.
static bool drop_identity(void) {
    if (getuid() == unprivileged && geteuid() == unprivileged) return true;
    return setgroups(0, NULL) == 0 && setresgid(unprivileged, unprivileged, unprivileged) == 0
        && setresuid(unprivileged, unprivileged, unprivileged) == 0;
}

static void drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    syscall(SYS_capset, &header, none);
}

// /proc/self/statm, opened while files can be.
static int statm = -1;

static uint64_t address_space(void) {
    char text[64] = {0};
    const bool known = pread(statm, text, sizeof text - 1, 0) > 0;
    close(statm);
    return known ? strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static bool set_limits_of(int resource, uint64_t soft, uint64_t hard) {
    struct rlimit limit = {.rlim_cur = soft, .rlim_max = hard};
    return setrlimit(resource, &limit) == 0;
}

static bool set_limit(int resource, uint64_t value) { return set_limits_of(resource, value, value); }

static bool set_limits(uint64_t memory, uint64_t seconds, bool opens_fonts) {
    const uint64_t used = address_space();
    bool all = used > 0;
    if (!UNDER_SANITIZER) all &= set_limit(RLIMIT_AS, used + memory);
    // SIGXCPU first, which tells the parent the reason.
    all &= set_limits_of(RLIMIT_CPU, seconds, seconds + 1);
    all &= set_limit(RLIMIT_FSIZE, 0);
    all &= set_limit(RLIMIT_CORE, 0);
    all &= set_limit(RLIMIT_MEMLOCK, 0);
    all &= set_limit(RLIMIT_MSGQUEUE, 0);
    all &= set_limit(RLIMIT_NOFILE, opens_fonts ? kf_sandbox_font_files : 0);
    if (!opens_fonts) all &= set_limit(RLIMIT_NPROC, 0);
    else if (counts_alone) all &= set_limit(RLIMIT_NPROC, kf_sandbox_font_threads);
    return all && !UNDER_SANITIZER;
}

// Landlock's rights and scopes by the version of its interface, as the kernel's documentation lists them; the
// headers of the system may be older than its kernel.
static long create_rules(void) {
    struct {
        uint64_t files, network, scopes;
    } rules = {0};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) return -1;
    const int rights = version == 1 ? 13 : version == 2 ? 14 : version < 5 ? 15 : 16;
    rules.files = ((uint64_t)1 << rights) - 1;
    if (version >= 4) rules.network = 3;
    if (version >= 6) rules.scopes = 3;
    const size_t size = version < 4 ? 8 : version < 6 ? 16 : 24;
    return syscall(SYS_landlock_create_ruleset, &rules, size, 0);
}

// Without effect for a path that does not exist. Of a symbolic link the target is meant.
static void allow_reading(long rules, const char *path) {
    struct landlock_path_beneath_attr rule = {.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE};
    rule.parent_fd = open(path, O_PATH | O_CLOEXEC);
    if (rule.parent_fd < 0) return;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(rule.parent_fd);
}

static bool has_one_thread(void) {
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == 3;  // ".", ".." and the thread
}

uint32_t kf_sandbox_close_files(const char *const *paths, size_t count) {
    if (!has_one_thread()) return 0;
    const long rules = create_rules();
    if (rules < 0) return 0;
    for (size_t i = 0; i < count; i++) allow_reading(rules, paths[i]);
    const long status = syscall(SYS_landlock_restrict_self, rules, 0);
    close((int)rules);
    return status == 0 ? kf_sandbox_landlock : 0;
}

uint32_t kf_sandbox_lower_privileges(void) {
    uint32_t measures = 0;
    statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    // One heap for all threads: further ones would reserve address space, which is limited.
    mallopt(M_ARENA_MAX, 1);
    bool separated = geteuid() == 0 && unshare(spaces) == 0;
    if (drop_identity()) measures |= kf_sandbox_identity;
    // Gives this process capabilities in the new namespaces, which are dropped with all others.
    counts_alone = unshare(CLONE_NEWUSER | (separated ? 0 : spaces)) == 0;
    if (separated || counts_alone) measures |= kf_sandbox_namespaces;
    drop_capabilities();
    // Other processes of this user, among them other decoders, cannot trace it.
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0) measures |= kf_sandbox_no_new_privileges;
    return measures;
}

uint32_t kf_sandbox_restrict(uint64_t memory, uint64_t seconds, bool opens_fonts) {
    uint32_t measures = 0;
    if (set_limits(memory, seconds, opens_fonts)) measures |= kf_sandbox_limits;
    if (!UNDER_SANITIZER && kf_sandbox_install_filter(opens_fonts)) measures |= kf_sandbox_seccomp;
    return measures;
}
