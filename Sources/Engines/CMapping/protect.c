#define _GNU_SOURCE
#include "CMapping.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANGES = 256 };

// The handler reads this without a lock, so `start` is set last and cleared first.
typedef struct {
    atomic_bool used;
    _Atomic(uintptr_t) start;
    atomic_size_t length;
} Range;

static Range ranges[RANGES];
static struct sigaction previous;
static uintptr_t page_mask;
static bool installed;

// Uses only calls that are safe in a signal handler; mmap is a plain system call.
static bool replace(uintptr_t address) {
    for (int index = 0; index < RANGES; index++) {
        Range *range = &ranges[index];
        const uintptr_t start = atomic_load(&range->start);
        const size_t length = atomic_load(&range->length);
        // Loaded again, because the range may have been given to another mapping in between.
        if (start == 0 || address - start >= length || atomic_load(&range->start) != start) continue;
        const uintptr_t page = address & page_mask;
        void *zeros = mmap((void *)page, start + length - page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        return zeros != MAP_FAILED;
    }
    return false;
}

static void handle(int number, siginfo_t *info, void *context) {
    const int error = errno;
    const bool done = info->si_code == BUS_ADRERR && replace((uintptr_t)info->si_addr);
    errno = error;
    if (done) return;
    if (previous.sa_flags & SA_SIGINFO) {
        previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    } else if (previous.sa_handler == SIG_DFL || info->si_code > 0) {
        // The default action, when the instruction is repeated or the signal is unblocked.
        signal(number, SIG_DFL);
        if (info->si_code <= 0) raise(number);
    }
}

static void install(void) {
    page_mask = ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    installed = sigaction(SIGBUS, NULL, &previous) == 0 && sigaction(SIGBUS, &action, NULL) == 0;
}

int kf_mapping_protect(void *start, size_t length) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    for (int index = 0; installed && index < RANGES; index++) {
        Range *range = &ranges[index];
        if (atomic_load_explicit(&range->used, memory_order_relaxed) || atomic_exchange(&range->used, true)) continue;
        atomic_store(&range->length, length);
        atomic_store(&range->start, (uintptr_t)start);
        return index;
    }
    return -1;
}

void kf_mapping_release(int number) {
    if (number < 0 || number >= RANGES) return;
    atomic_store(&ranges[number].start, 0);
    atomic_store(&ranges[number].used, false);
}
