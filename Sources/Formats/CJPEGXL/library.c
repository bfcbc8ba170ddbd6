#include "CJPEGXL.h"

#include <malloc.h>
#include <stdlib.h>

#ifndef JPEGXL_NUMERIC_VERSION
#error "libjxl is older than 0.7"
#endif

// Before version 1, every minor version has a different interface.
#define KF_JXL_VERSION \
    KF_LIBRARY_STRING(JPEGXL_MAJOR_VERSION) "." KF_LIBRARY_STRING(JPEGXL_MINOR_VERSION)

KF_DEFINE_LIBRARY(
    kf_jxl, kf_jxl_functions, KF_JXL_FUNCTIONS, "libjxl.so." KF_JXL_VERSION, "libjxl" KF_JXL_VERSION)

// libjxl 0.9 removed a parameter without a use.
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 9, 0)
#define KF_JXL_UNUSED
#else
#define KF_JXL_UNUSED NULL,
#endif

int kf_jxl_encoded_profile(
    const JxlDecoder *decoder, JxlColorProfileTarget target, JxlColorEncoding *encoding) {
    const kf_jxl_functions *jxl = kf_jxl();
    return jxl && jxl->JxlDecoderGetColorAsEncodedProfile(decoder, KF_JXL_UNUSED target, encoding)
        == JXL_DEC_SUCCESS;
}

size_t kf_jxl_icc_size(const JxlDecoder *decoder, JxlColorProfileTarget target) {
    const kf_jxl_functions *jxl = kf_jxl();
    size_t size = 0;
    if (!jxl) return 0;
    return jxl->JxlDecoderGetICCProfileSize(decoder, KF_JXL_UNUSED target, &size) == JXL_DEC_SUCCESS
        ? size : 0;
}

int kf_jxl_icc(const JxlDecoder *decoder, JxlColorProfileTarget target, uint8_t *bytes, size_t size) {
    const kf_jxl_functions *jxl = kf_jxl();
    return jxl && jxl->JxlDecoderGetColorAsICCProfile(decoder, KF_JXL_UNUSED target, bytes, size)
        == JXL_DEC_SUCCESS;
}

static void *allocate(void *opaque, size_t size) {
    kf_jxl_memory *memory = opaque;
    if (memory->used > memory->limit || size > memory->limit - memory->used) {
        memory->refused = 1;
        return NULL;
    }
    void *block = malloc(size);
    if (block) memory->used += malloc_usable_size(block);
    return block;
}

static void release(void *opaque, void *block) {
    kf_jxl_memory *memory = opaque;
    if (!block) return;
    memory->used -= malloc_usable_size(block);
    free(block);
}

JxlMemoryManager kf_jxl_memory_manager(kf_jxl_memory *memory) {
    return (JxlMemoryManager){.opaque = memory, .alloc = allocate, .free = release};
}
