// Included with BITS of a sample, the type PIXEL of four samples, ELEMENTS, NAME and TARGET. Colours are
// straight, 0...1, of ELEMENTS pixels in a vector.
// Conditions select per element, so that no branch depends on the image.

typedef float NAME(floats) __attribute__((ext_vector_type(ELEMENTS)));
typedef int32_t NAME(masks) __attribute__((ext_vector_type(ELEMENTS)));
typedef PIXEL NAME(pixels) __attribute__((ext_vector_type(ELEMENTS)));
typedef struct {
    NAME(floats) r, g, b;
} NAME(color);
#define F NAME(floats)
#define M NAME(masks)
#define P NAME(pixels)
#define WHITE ((1 << BITS) - 1)
#if BITS == 8
#define SAMPLE uint8_t
#else
#define SAMPLE uint16_t
#endif
#define COLOR NAME(color)
#define INLINE TARGET static inline __attribute__((always_inline))

INLINE F NAME(least)(F a, F b) { return a < b ? a : b; }
INLINE F NAME(most)(F a, F b) { return a > b ? a : b; }
#define LEAST(c) NAME(least)(NAME(least)((c).r, (c).g), (c).b)
#define MOST(c) NAME(most)(NAME(most)((c).r, (c).g), (c).b)
#define EACH(f, x, y) ((COLOR){f((x).r, (y).r), f((x).g, (y).g), f((x).b, (y).b)})

INLINE F NAME(dodge)(F below, F above) {
    const F quotient = below / (1 - above);
    return below == 0 ? (F)0 : quotient < 1 && above < 1 ? quotient : (F)1;
}

INLINE F NAME(burn)(F below, F above) {
    const F quotient = (1 - below) / above;
    return below == 1 ? (F)1 : quotient < 1 && above > 0 ? 1 - quotient : (F)0;
}

INLINE F NAME(luminosity)(COLOR c) { return 0.3f * c.r + 0.59f * c.g + 0.11f * c.b; }

INLINE F NAME(saturation)(COLOR c) { return MOST(c) - LEAST(c); }

/// ClipColor(SetLum(c, light)) of the specification.
INLINE COLOR NAME(with_luminosity)(COLOR c, F light) {
    const F shift = light - NAME(luminosity)(c);
    c = (COLOR){c.r + shift, c.g + shift, c.b + shift};
    // A colour whose channels span no more than the range exceeds it on one side only.
    const F low = LEAST(c), high = MOST(c);
    const F whole = low < 0 ? light : high > 1 ? 1 - light : (F)1;
    const F scale = whole / (low < 0 ? light - low : high > 1 ? high - light : (F)1);
    return (COLOR){
        light + (c.r - light) * scale, light + (c.g - light) * scale, light + (c.b - light) * scale};
}

/// SetSat(c, wanted): the smallest channel becomes 0, the largest `wanted`, and the third keeps its ratio.
INLINE COLOR NAME(with_saturation)(COLOR c, F wanted) {
    const F low = LEAST(c), range = NAME(saturation)(c);
    const F scale = wanted / (range > 0 ? range : (F)1);
    return (COLOR){(c.r - low) * scale, (c.g - low) * scale, (c.b - low) * scale};
}

INLINE COLOR NAME(mixed)(kf_curved_mode mode, COLOR below, COLOR above) {
    switch (mode) {
    case KF_COLOR_DODGE: return EACH(NAME(dodge), below, above);
    case KF_COLOR_BURN: return EACH(NAME(burn), below, above);
    case KF_HUE:
        return NAME(with_luminosity)(
            NAME(with_saturation)(above, NAME(saturation)(below)), NAME(luminosity)(below));
    case KF_SATURATION:
        return NAME(with_luminosity)(
            NAME(with_saturation)(below, NAME(saturation)(above)), NAME(luminosity)(below));
    case KF_COLOR: return NAME(with_luminosity)(above, NAME(luminosity)(below));
    case KF_LUMINOSITY: return NAME(with_luminosity)(below, NAME(luminosity)(above));
    }
    return above;
}

/// The nearest integer, at most `limit`.
INLINE M NAME(nearest)(F value, M limit) {
    const M rounded = __builtin_convertvector(value + 0.5f, M);
    return rounded < limit ? rounded : limit;
}

/// Blends ELEMENTS pixels.
INLINE void NAME(blend)(
    kf_curved_mode mode, const SAMPLE *source, const curved_backdrop *backdrop, float opacity,
    SAMPLE *target) {
    P pixels;
    memcpy(&pixels, source, sizeof pixels);
#define CHANNEL(c) __builtin_convertvector(__builtin_convertvector(pixels >> (c) * BITS & WHITE, M), F)
    const F r = CHANNEL(0), g = CHANNEL(1), b = CHANNEL(2), own = CHANNEL(3);
#undef CHANNEL
    const F divisor = own > 0 ? own : (F)1;
    const COLOR below = {backdrop->straight[0], backdrop->straight[1], backdrop->straight[2]};
    const COLOR made = NAME(mixed)(mode, below, (COLOR){r / divisor, g / divisor, b / divisor});
    const F alpha = own * opacity, rest = 1 - alpha / WHITE, both = alpha * backdrop->alpha;
    const F only = opacity * (1 - backdrop->alpha);
    const M limit = NAME(nearest)(alpha + backdrop->samples[3] * rest, WHITE);
#define CHANNEL(c, sample, value)                                                                            \
    __builtin_convertvector(                                                                                 \
        NAME(nearest)((sample) * only + backdrop->samples[c] * rest + both * (value), limit), P)             \
        << (c) * BITS
    pixels = CHANNEL(0, r, made.r) | CHANNEL(1, g, made.g) | CHANNEL(2, b, made.b)
        | __builtin_convertvector(limit, P) << 3 * BITS;
#undef CHANNEL
    memcpy(target, &pixels, sizeof pixels);
}

INLINE void NAME(loop)(
    kf_curved_mode mode, const SAMPLE *source, size_t pixels, const curved_backdrop *backdrop, float opacity,
    SAMPLE *target) {
    size_t i = 0;
    for (; i + ELEMENTS <= pixels; i += ELEMENTS)
        NAME(blend)(mode, source + 4 * i, backdrop, opacity, target + 4 * i);
    if (i == pixels) return;
    SAMPLE rest[4 * ELEMENTS] = {0};
    memcpy(rest, source + 4 * i, sizeof(PIXEL) * (pixels - i));
    NAME(blend)(mode, rest, backdrop, opacity, rest);
    memcpy(target + 4 * i, rest, sizeof(PIXEL) * (pixels - i));
}

TARGET
static void NAME(rows)(
    kf_curved_mode mode, const SAMPLE *source, size_t pixels, const curved_backdrop *backdrop, float opacity,
    SAMPLE *target) {
    // One case per mode, so that the compiler specializes the loop for each.
#define CASE(mode)                                                                                           \
    case mode: return NAME(loop)(mode, source, pixels, backdrop, opacity, target)
    switch (mode) {
        CASE(KF_COLOR_DODGE);
        CASE(KF_COLOR_BURN);
        CASE(KF_HUE);
        CASE(KF_SATURATION);
        CASE(KF_COLOR);
        CASE(KF_LUMINOSITY);
    }
#undef CASE
}

#undef F
#undef M
#undef P
#undef WHITE
#undef SAMPLE
#undef COLOR
#undef INLINE
#undef LEAST
#undef MOST
#undef EACH
#undef BITS
#undef PIXEL
#undef ELEMENTS
#undef NAME
#undef TARGET
