#pragma once
#include <stddef.h>
#include <stdint.h>

// System calls around timespec, of which Swift sees several as soon as more than one module includes
// <time.h>, and a digest.

// SHA-256 of `count` bytes, by libcrypto; `digest` has room for 32.
void kf_sha256(const void *bytes, size_t count, unsigned char *digest);

// Nanoseconds, of the wall and of this process's user and system time in all threads.
int64_t kf_wall_time(void);
int64_t kf_processor_time(void);

// Sets the times of an open file, in seconds since 1970; 0, or -1 and errno.
int kf_set_times(int file, int64_t accessed, int64_t modified);
