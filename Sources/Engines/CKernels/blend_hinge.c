#include "level.h"

#if KF_SIMD
#include "simd128.h"
#include "blend_hinge_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "blend_hinge_simd.h"
#include "simd_end.h"
#endif

static inline int32_t channel(const kf_hinge_blend *blend, int32_t c, int32_t sample, int32_t alpha) {
    int32_t sum = blend->slope[c] * sample + blend->lift[c] * alpha + blend->offset[c] + KF_BLEND_ONE / 2;
    const int32_t hinge =
        blend->hinge_slope[c] * sample + blend->hinge_lift[c] * alpha + blend->hinge_offset[c];
    if (blend->has_hinge && hinge > 0) sum += blend->hinge_sign[c] ? -hinge : hinge;
    return sum / KF_BLEND_ONE - (sum % KF_BLEND_ONE < 0);
}

void kf_blend_hinge(
    kf_level level, const uint8_t *source, size_t pixels, const kf_hinge_blend *blend, uint8_t *target) {
    size_t done = 0;
#if KF_SIMD
    if (level == KF_AVX2) done = blend_hinge_avx2(source, pixels, blend, target);
    if (level >= KF_SSE2) done += blend_hinge_sse2(source + 4 * done, pixels - done, blend, target + 4 * done);
#endif
    for (size_t i = done; i < pixels; i++) {
        const uint8_t *in = source + 4 * i;
        uint8_t *out = target + 4 * i;
        const int32_t alpha = in[3], limit = channel(blend, 3, alpha, alpha);
        for (int32_t c = 0; c < 3; c++) {
            const int32_t value = channel(blend, c, in[c], alpha);
            out[c] = kf_clamp8(value < limit ? value : limit);
        }
        out[3] = kf_clamp8(limit);
    }
}
