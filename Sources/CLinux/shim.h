// What the kernel offers and Swift's Glibc module leaves out: extended attributes, and constants behind casts.
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

// Of the wall clock, to the kernel's tick.
static inline struct timespec linux_coarse_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME_COARSE, &time);
    return time;
}
