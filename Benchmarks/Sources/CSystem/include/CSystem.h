#pragma once
#include <stddef.h>
#include <stdint.h>

// System calls that use timespec, which Swift finds several times if more than one module includes <time.h>;
// and a digest.

// SHA-256 of `count` bytes, by libcrypto; `digest` has space for 32 bytes.
void kf_sha256(const void *bytes, size_t count, unsigned char *digest);

// Wall time, and the user and system time of all threads of this process, in nanoseconds.
int64_t kf_wall_time(void);
int64_t kf_processor_time(void);

// The same of another process, 0 if it has ended; and of all children that have ended.
int64_t kf_processor_time_of(int process);
int64_t kf_processor_time_of_ended(void);

// Sets the times of an open file, in seconds since 1970; 0, or -1 and errno.
int kf_set_times(int file, int64_t accessed, int64_t modified);
