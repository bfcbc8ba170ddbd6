#include "CHEIF.h"

#include <pthread.h>

#if LIBHEIF_NUMERIC_VERSION < 0x010F0000
#error "libheif is older than 1.15"
#endif

KF_DEFINE_LIBRARY(kf_heif_library, kf_heif_functions, KF_HEIF_FUNCTIONS, "libheif.so.1", "libheif1")
KF_DEFINE_LIBRARY(kf_de265, kf_de265_functions, KF_DE265_FUNCTIONS, "libde265.so.0", "libde265-0")

extern struct heif_decoder_plugin kf_heif_plugin;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void prepare(void) {
    // Otherwise the last decoder frees the tables of libde265, and the next one makes them again.
    kf_de265()->de265_init();
    kf_heif_library()->heif_register_decoder_plugin(&kf_heif_plugin);
}

const kf_heif_functions *kf_heif(void) {
    const kf_heif_functions *heif = kf_heif_library();
    if (!heif || !kf_de265()) return NULL;
    pthread_once(&once, prepare);
    return heif;
}

const char *kf_heif_missing(void) {
    return kf_heif_library() ? kf_de265_missing() : kf_heif_library_missing();
}
