#include "CHEIF.h"

#include <pthread.h>
#include <stdio.h>

#if LIBHEIF_NUMERIC_VERSION < 0x010F0000
#error "libheif is older than 1.15"
#endif

KF_DEFINE_LIBRARY(kf_heif_library, kf_heif_functions, KF_HEIF_FUNCTIONS, "libheif.so.1", "libheif1")
KF_DEFINE_LIBRARY(kf_de265, kf_de265_functions, KF_DE265_FUNCTIONS, "libde265.so.0", "libde265-0")

struct heif_error kf_heif_register(const kf_heif_functions *heif);

static pthread_once_t once = PTHREAD_ONCE_INIT;
/// Why libheif refuses our decoders; empty if it does not.
static char refusal[256];

static void prepare(void) {
    // Otherwise the last decoder frees the tables of libde265, and the next one makes them again.
    kf_de265()->de265_init();
    const kf_heif_functions *heif = kf_heif_library();
    // Since 1.17, libheif loads plug-ins from files with its first context.
    heif->heif_context_free(heif->heif_context_alloc());
    const struct heif_error error = kf_heif_register(heif);
    if (error.code == heif_error_Ok) return;
    snprintf(
        refusal, sizeof(refusal), "a libheif that accepts its decoders: version %s does not (%s)",
        heif->heif_get_version(), error.message);
}

const kf_heif_functions *kf_heif(void) {
    const kf_heif_functions *heif = kf_heif_library();
    if (!heif || !kf_de265()) return NULL;
    pthread_once(&once, prepare);
    return refusal[0] ? NULL : heif;
}

const char *kf_heif_missing(void) {
    if (!kf_heif_library()) return kf_heif_library_missing();
    return kf_de265() ? refusal : kf_de265_missing();
}
