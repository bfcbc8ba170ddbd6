// Kernel interfaces that Swift's Glibc module does not import: extended attributes, and constants behind
// casts.
#pragma once
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/stat.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static inline int kf_linux_open_without_access_time(void) {
#if defined(O_NOATIME)
    return O_NOATIME;
#else
    return __O_NOATIME;
#endif
}

// Opens a file without a name, for reading and writing.
static inline int kf_linux_open_unnamed_flags(void) {
#if defined(O_TMPFILE)
    return O_TMPFILE | O_RDWR;
#else
    return __O_TMPFILE | O_RDWR;
#endif
}

// Opens a name without access to its content: for its status, even if it may not be read.
static inline int kf_linux_open_path_only(void) {
#if defined(O_PATH)
    return O_PATH;
#else
    return __O_PATH;
#endif
}

// Whether the file system of an open file stores its files in memory.
static inline _Bool kf_linux_is_in_memory(int file) {
    struct statfs status;
    const long tmpfs = 0x01021994, ramfs = 0x858458f6;
    return fstatfs(file, &status) == 0 && (status.f_type == tmpfs || status.f_type == ramfs);
}

// Whether a folder is on a file system whose files other machines or programs change without the kernel:
// NFS, SMB, CIFS, AFS, Coda, NCP, 9P, Ceph, OCFS2, GFS2, Lustre, VirtualBox, FUSE.
static inline _Bool kf_linux_is_remote(const char *folder) {
    const unsigned int types[] = {0x6969,     0x517b,     0xfe534d42, 0xff534d42, 0x5346414f,
                                  0x6b414653, 0x73757245, 0x564c,     0x01021997, 0x00c36400,
                                  0x7461636f, 0x01161970, 0x0bd00bd0, 0x786f4256, 0x65735546};
    struct statfs status;
    if (statfs(folder, &status) != 0) return 0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((unsigned int)status.f_type == types[i]) return 1;
    return 0;
}

static inline long kf_linux_leave_time(void) { return UTIME_OMIT; }

// Prefetches the cache line of an address for writing. The address may be invalid.
static inline void kf_linux_prefetch(const void *address) { __builtin_prefetch(address, 1); }

// Whether `count` bytes are equal. If count is 0, the addresses may be null.
static inline _Bool kf_linux_same_bytes(const void *one, const void *other, size_t count) {
    return count == 0 || memcmp(one, other, count) == 0;
}

// The wall clock's time.
static inline struct timespec kf_linux_wall_time(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

// The wall clock's time at the last kernel tick; reading it takes a quarter of the time.
static inline struct timespec kf_linux_coarse_time(void) {
    struct timespec time = {0};
    // A seccomp filter may allow only one of the clocks.
    if (clock_gettime(CLOCK_REALTIME_COARSE, &time) != 0) clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

// A directory entry as getdents64(2) returns it.
struct kf_linux_folder_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;  // Of this header and the name: the offset of the next entry.
    uint8_t type;
    char name[];
};

static inline const char *kf_linux_entry_name(const struct kf_linux_folder_entry *entry) { return entry->name; }

// Reads as many of a folder's next entries as fit. Returns the bytes read; 0 after the last entry.
static inline long kf_linux_read_names(int folder, void *room, size_t size) {
    return syscall(SYS_getdents64, folder, room, size);
}

// A set of cores, as the kernel takes it: for up to 8,192 of them.
struct kf_linux_cores {
    uint64_t words[128];
};

// The cores that this thread may use; none if the kernel does not tell.
static inline struct kf_linux_cores kf_linux_allowed_cores(void) {
    struct kf_linux_cores cores = {{0}};
    syscall(SYS_sched_getaffinity, 0, sizeof cores, &cores);
    return cores;
}

static inline int kf_linux_count_cores(struct kf_linux_cores cores) {
    int count = 0;
    for (size_t i = 0; i < sizeof cores.words / sizeof cores.words[0]; i++) {
        count += __builtin_popcountll(cores.words[i]);
    }
    return count;
}

#if !defined(__USE_GNU)
extern int pthread_attr_setaffinity_np(pthread_attr_t *, size_t, const void *);
#endif

// Starts a thread that stays off the core of the caller. Returns 0, or an error number.
//
// The kernel often starts a thread on the core of its creator and moves it some milliseconds later.
static inline int kf_linux_start_elsewhere(pthread_t *thread, void *(*run)(void *), void *context) {
    struct kf_linux_cores cores = kf_linux_allowed_cores();
    unsigned core = 0;
    pthread_attr_t attributes;
    int status = pthread_attr_init(&attributes);
    if (status) return status;
    if (syscall(SYS_getcpu, &core, NULL, NULL) == 0 && core < 8 * sizeof cores) {
        cores.words[core / 64] &= ~((uint64_t)1 << core % 64);
        status = pthread_attr_setaffinity_np(&attributes, sizeof cores, (const void *)&cores);
    }
    if (!status) status = pthread_create(thread, &attributes, run, context);
    pthread_attr_destroy(&attributes);
    return status;
}

struct kf_linux_version {
    uint64_t device, inode, size;
    int64_t seconds;
    uint32_t nanoseconds;
};

// Reads the version of a regular file, following links, with the attributes that the kernel has: the server
// of a network file system is not asked for newer ones, but resolving the path may ask it. Returns 0 or an
// error number; ENOENT if there is another file.
static inline int kf_linux_read_version(const char *path, struct kf_linux_version *version) {
    // AT_STATX_DONT_SYNC of <linux/fcntl.h>, which cannot be included beside <fcntl.h>.
    const int without_sync = 0x4000;
    struct statx status;
    const unsigned int mask = STATX_TYPE | STATX_INO | STATX_SIZE | STATX_MTIME;
    if (syscall(SYS_statx, AT_FDCWD, path, without_sync, mask, &status) != 0) return errno;
    if ((status.stx_mode & S_IFMT) != S_IFREG) return ENOENT;
    // As the C library composes the number of a device.
    const uint64_t major = status.stx_dev_major, minor = status.stx_dev_minor;
    version->device = (major & 0xfffff000) << 32 | (major & 0xfff) << 8 | (minor & 0xffffff00) << 12 | (minor & 0xff);
    version->inode = status.stx_ino;
    version->size = status.stx_size;
    version->seconds = status.stx_mtime.tv_sec;
    version->nanoseconds = status.stx_mtime.tv_nsec;
    return 0;
}

// Opens a path beneath an open folder for reading. Neither ".." nor a link leads anywhere: links are refused.
// Fails with ENOSYS before Linux 5.6.
static inline int kf_linux_open_beneath(int folder, const char *path) {
    struct open_how how = {
        .flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC,
        .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int)syscall(SYS_openat2, folder, path, &how, sizeof how);
}
