// What the kernel offers and Swift's Glibc module leaves out: extended attributes, and
// constants behind casts.
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

// Begins to bring the line of an address into the processor's cache, to be written; any address will do.
static inline void linux_prefetch(const void *address) { __builtin_prefetch(address, 1); }

// Whether so many bytes are the same; of none, the addresses may be null.
static inline _Bool linux_same_bytes(const void *one, const void *other, size_t count) {
    return count == 0 || memcmp(one, other, count) == 0;
}

// The time of the wall clock.
static inline struct timespec linux_wall_time(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

// The time of the wall clock at the kernel's last tick, which is read in a quarter of the time.
static inline struct timespec linux_coarse_time(void) {
    struct timespec time = {0};
    // A filter of system calls may know one of the clocks only.
    if (clock_gettime(CLOCK_REALTIME_COARSE, &time) != 0) clock_gettime(CLOCK_REALTIME, &time);
    return time;
}

// A name in a folder, as getdents64(2) lays it out.
struct linux_folder_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;  // Of all of this and the name, up to the next entry.
    uint8_t type;
    char name[];
};

static inline const char *linux_entry_name(const struct linux_folder_entry *entry) { return entry->name; }

// Fills memory with as many of a folder's next names as fit; 0 after the last.
static inline long linux_read_names(int folder, void *room, size_t size) {
    return syscall(SYS_getdents64, folder, room, size);
}
