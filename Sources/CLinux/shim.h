// What the kernel offers and Swift's Glibc module leaves out: extended attributes, and constants behind casts.
#pragma once
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

static inline int linux_open_without_access_time(void) {
#if defined(O_NOATIME)
    return O_NOATIME;
#else
    return __O_NOATIME;
#endif
}

static inline long linux_leave_time(void) { return UTIME_OMIT; }
