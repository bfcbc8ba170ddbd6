#include "CLibraryLoader.h"

#include <dlfcn.h>
#include <stdio.h>

/// The handle stays open: threads may use the functions until the process ends.
static bool resolve(kf_library *library) {
    void *handle = dlopen(library->soname, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        const char *reason = dlerror();
        snprintf(
            library->message, sizeof(library->message), "%s of Debian's package %s (%s)", library->soname,
            library->package, reason ? reason : "it cannot be loaded");
        return false;
    }
    for (size_t i = 0; i < library->count; i++) {
        library->functions[i] = dlsym(handle, library->names[i]);
        if (library->functions[i]) continue;
        snprintf(
            library->message, sizeof(library->message), "%s of Debian's package %s (it has no function %s)",
            library->soname, library->package, library->names[i]);
        return false;
    }
    return true;
}

bool kf_library_load(kf_library *library) {
    int state = __atomic_load_n(&library->state, __ATOMIC_ACQUIRE);
    if (state != 0) return state > 0;
    pthread_mutex_lock(&library->lock);
    state = library->state;
    if (state == 0) {
        state = resolve(library) ? 1 : -1;
        __atomic_store_n(&library->state, state, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&library->lock);
    return state > 0;
}
