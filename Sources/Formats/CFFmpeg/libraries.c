#include "CFFmpeg.h"

#define SONAME(name, version) name ".so." KF_LIBRARY_STRING(version)
#define PACKAGE(name, version) name KF_LIBRARY_STRING(version)

KF_DEFINE_LIBRARY(
    kf_avformat, kf_avformat_functions, KF_AVFORMAT_FUNCTIONS, SONAME("libavformat", LIBAVFORMAT_VERSION_MAJOR),
    PACKAGE("libavformat", LIBAVFORMAT_VERSION_MAJOR))
KF_DEFINE_LIBRARY(
    kf_avcodec, kf_avcodec_functions, KF_AVCODEC_FUNCTIONS, SONAME("libavcodec", LIBAVCODEC_VERSION_MAJOR),
    PACKAGE("libavcodec", LIBAVCODEC_VERSION_MAJOR))
KF_DEFINE_LIBRARY(
    kf_avutil, kf_avutil_functions, KF_AVUTIL_FUNCTIONS, SONAME("libavutil", LIBAVUTIL_VERSION_MAJOR),
    PACKAGE("libavutil", LIBAVUTIL_VERSION_MAJOR))
KF_DEFINE_LIBRARY(
    kf_swscale, kf_swscale_functions, KF_SWSCALE_FUNCTIONS, SONAME("libswscale", LIBSWSCALE_VERSION_MAJOR),
    PACKAGE("libswscale", LIBSWSCALE_VERSION_MAJOR))

const char *kf_video_missing(void) {
    if (!kf_avformat()) return kf_avformat_missing();
    if (!kf_avcodec()) return kf_avcodec_missing();
    if (!kf_avutil()) return kf_avutil_missing();
    return kf_swscale() ? NULL : kf_swscale_missing();
}

bool kf_video_has_decoder(const char *name) { return kf_avcodec()->avcodec_find_decoder_by_name(name) != NULL; }
