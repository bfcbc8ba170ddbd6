#include "CAVIF.h"

// The version of the file name, which libavif raises with each change of its interface.
#if AVIF_VERSION >= 1000000
#define KF_AVIF_VERSION 16
#elif AVIF_VERSION >= 110000
#define KF_AVIF_VERSION 15
#else
#error "libavif is older than 0.11"
#endif

KF_DEFINE_LIBRARY(
    kf_avif, kf_avif_functions, KF_AVIF_FUNCTIONS, "libavif.so." KF_LIBRARY_STRING(KF_AVIF_VERSION),
    "libavif" KF_LIBRARY_STRING(KF_AVIF_VERSION))
