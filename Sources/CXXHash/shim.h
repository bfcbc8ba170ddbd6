#pragma once
#if !__has_include(<xxhash.h>)
#error "<xxhash.h> is missing: run `make setup` (it installs libxxhash-dev)"
#endif
#include <xxhash.h>

#if defined(__x86_64__)
// Chooses among SSE2, AVX2 and AVX-512 when it runs, where libxxhash was built with that; the plain function
// is SSE2's in a distribution's package.
extern XXH64_hash_t XXH3_64bits_dispatch(const void *bytes, size_t count) __attribute__((weak));

static inline XXH64_hash_t kf_xxh3_64(const void *bytes, size_t count) {
    return XXH3_64bits_dispatch ? XXH3_64bits_dispatch(bytes, count) : XXH3_64bits(bytes, count);
}
#else
static inline XXH64_hash_t kf_xxh3_64(const void *bytes, size_t count) { return XXH3_64bits(bytes, count); }
#endif
