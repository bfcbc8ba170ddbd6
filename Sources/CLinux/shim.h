// What the kernel offers and Swift's Glibc module leaves out: extended attributes, and
// constants behind casts.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>

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

// Of the wall clock, to the kernel's tick.
static inline struct timespec linux_coarse_time(void) {
    struct timespec time = {0};
    // A filter of system calls may know one of the clocks only.
    if (clock_gettime(CLOCK_REALTIME_COARSE, &time) != 0) clock_gettime(CLOCK_REALTIME, &time);
    return time;
}
