#include "CSystem.h"
#include <openssl/sha.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <time.h>

void kf_sha256(const void *bytes, size_t count, unsigned char *digest) { SHA256(bytes, count, digest); }

static int64_t nanoseconds(clockid_t clock) {
    struct timespec time = {0, 0};
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

int64_t kf_wall_time(void) { return nanoseconds(CLOCK_MONOTONIC); }

int64_t kf_processor_time(void) { return nanoseconds(CLOCK_PROCESS_CPUTIME_ID); }

int64_t kf_processor_time_of(int process) {
    clockid_t clock;
    return clock_getcpuclockid(process, &clock) == 0 ? nanoseconds(clock) : 0;
}

int64_t kf_processor_time_of_ended(void) {
    struct rusage usage = {0};
    getrusage(RUSAGE_CHILDREN, &usage);
    const int64_t seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec;
    return (seconds * 1000000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

int kf_set_times(int file, int64_t accessed, int64_t modified) {
    struct timespec times[2] = {{.tv_sec = accessed}, {.tv_sec = modified}};
    return futimens(file, times);
}
