#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

// Loads a shared library at first use, so that a program that links a codec starts without it.
//
// A library's C target lists the functions that it needs in a macro, of which `KF_LIBRARY_TABLE` makes a
// structure of typed pointers in its header, and `KF_DEFINE_LIBRARY` the functions that load it. The headers
// of the library are needed for building; its functions must not be called directly, which would link it.

typedef struct {
    /// The file name with the version of the interface that the headers describe.
    const char *_Nonnull soname;
    /// The Debian package that has the file.
    const char *_Nonnull package;
    const char *_Nonnull const *_Nonnull names;
    void *_Nullable *_Nonnull functions;
    size_t count;
    pthread_mutex_t lock;
    /// 0 before the first use, 1 if all functions are present, -1 if not.
    int state;
    char message[320];
} kf_library;

/// Loads the library, unless an earlier call did. Safe from any thread; a missing library is searched once.
bool kf_library_load(kf_library *_Nonnull library);

#define KF_LIBRARY_POINTER(name) __typeof__(&name) _Nonnull name;
#define KF_LIBRARY_NAME(name) #name,

/// Declares `table`, and `prefix()`, which returns it or NULL if the library is missing; then
/// `prefix_missing()` returns the reason.
#define KF_LIBRARY_TABLE(prefix, table, FUNCTIONS) \
    typedef struct { FUNCTIONS(KF_LIBRARY_POINTER) } table; \
    const table *_Nullable prefix(void); \
    const char *_Nonnull prefix##_missing(void);

#define KF_DEFINE_LIBRARY(prefix, table, FUNCTIONS, file, debian) \
    static table prefix##_table; \
    static const char *const prefix##_names[] = {FUNCTIONS(KF_LIBRARY_NAME)}; \
    static kf_library prefix##_library = { \
        .soname = file, \
        .package = debian, \
        .names = prefix##_names, \
        .functions = (void **)&prefix##_table, \
        .count = sizeof(prefix##_names) / sizeof(prefix##_names[0]), \
        .lock = PTHREAD_MUTEX_INITIALIZER, \
    }; \
    _Static_assert(sizeof(table) == sizeof(prefix##_names), "one pointer a function"); \
    const table *prefix(void) { return kf_library_load(&prefix##_library) ? &prefix##_table : NULL; } \
    const char *prefix##_missing(void) { return prefix() ? "" : prefix##_library.message; }

#define KF_LIBRARY_STRING(value) KF_LIBRARY_QUOTED(value)
#define KF_LIBRARY_QUOTED(value) #value
