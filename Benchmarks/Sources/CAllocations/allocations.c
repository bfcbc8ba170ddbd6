#include "CAllocations.h"

#include <errno.h>
#include <stddef.h>

// The original functions of glibc.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static __thread unsigned long blocks;

unsigned long kf_allocations(void) { return blocks; }

void *malloc(size_t size) {
    blocks++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    blocks++;
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
    blocks++;
    return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
    blocks++;
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
    *block = memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}
