// Kernel interfaces that Swift's Glibc module does not import: extended attributes, and constants behind
// casts.
#pragma once
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

static inline int linux_open_without_access_time(void) {
#if defined(O_NOATIME)
    return O_NOATIME;
#else
    return __O_NOATIME;
#endif
}

static inline long linux_leave_time(void) { return UTIME_OMIT; }

// Prefetches the cache line of an address for writing. The address may be invalid.
static inline void linux_prefetch(const void *address) { __builtin_prefetch(address, 1); }

// Whether `count` bytes are equal. If count is 0, the addresses may be null.
static inline _Bool linux_same_bytes(const void *one, const void *other, size_t count) {
    return count == 0 || memcmp(one, other, count) == 0;
}

// The wall clock's time.
static inline struct timespec linux_wall_time(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

// The wall clock's time at the last kernel tick; reading it takes a quarter of the time.
static inline struct timespec linux_coarse_time(void) {
    struct timespec time = {0};
    // A seccomp filter may allow only one of the clocks.
    if (clock_gettime(CLOCK_REALTIME_COARSE, &time) != 0) clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

// A directory entry as getdents64(2) returns it.
struct linux_folder_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;  // Of this header and the name: the offset of the next entry.
    uint8_t type;
    char name[];
};

static inline const char *linux_entry_name(const struct linux_folder_entry *entry) { return entry->name; }

// Reads as many of a folder's next entries as fit. Returns the bytes read; 0 after the last entry.
static inline long linux_read_names(int folder, void *room, size_t size) {
    return syscall(SYS_getdents64, folder, room, size);
}

// The cores that this thread may use, at least 1; 1 also if the kernel does not tell.
static inline int linux_available_cores(void) {
    uint64_t mask[128] = {0};
    int count = 0;
    long size = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    for (long i = 0; i < size / (long)sizeof mask[0]; i++) count += __builtin_popcountll(mask[i]);
    return count ? count : 1;
}
