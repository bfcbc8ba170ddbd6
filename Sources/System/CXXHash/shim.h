#pragma once
#if !__has_include(<xxhash.h>)
#error "<xxhash.h> is missing: run `make setup` (it installs libxxhash-dev)"
#endif
#include <xxhash.h>

#if defined(__x86_64__)
// Selects SSE2, AVX2 or AVX-512 at run time if libxxhash was built with dispatch; otherwise a distribution's
// package uses SSE2.
extern XXH64_hash_t XXH3_64bits_dispatch(const void *bytes, size_t count) __attribute__((weak));

static inline XXH64_hash_t kf_xxh3_64(const void *bytes, size_t count) {
    return XXH3_64bits_dispatch ? XXH3_64bits_dispatch(bytes, count) : XXH3_64bits(bytes, count);
}
#else
static inline XXH64_hash_t kf_xxh3_64(const void *bytes, size_t count) { return XXH3_64bits(bytes, count); }
#endif
