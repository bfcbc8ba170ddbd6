#include "CHEIF.h"

#include <stdlib.h>
#include <string.h>

// A decoder plug-in of libheif on libde265. Its functions run on the thread that calls `heif_decode_image`,
// because contexts are told to use no threads. libde265 has its own if the work asks for them.

/// A still has one frame, and libde265 takes another one for a filter.
#define KF_FRAMES_OF_STILL 3

static _Thread_local kf_heif_work *work;

void kf_heif_set_work(kf_heif_work *new_work) { work = new_work; }

typedef struct kf_heif_stream {
    de265_decoder_context *context;
    int frames;
} decoder;

static const struct heif_error success = {heif_error_Ok, heif_suberror_Unspecified, "Success"};

static struct heif_error failure(enum heif_error_code code, const char *message) {
    return (struct heif_error){code, heif_suberror_Unspecified, message};
}

/// The failure of a frame, also for `kf_heif_work`.
static struct heif_error corrupt(const char *message) {
    if (work) work->failed = 1;
    return failure(heif_error_Decoder_plugin_error, message);
}

static int take_frame(
    de265_decoder_context *context, struct de265_image_spec *spec, struct de265_image *image, void *user) {
    decoder *self = user;
    // The coded size is a multiple of the smallest coding block, and may be cropped.
    const int64_t width = spec->visible_width, height = spec->visible_height;
    const int64_t coded = (int64_t)spec->width * spec->height;
    if (!work || width <= 0 || height <= 0 || width * height > work->limit
        || self->frames >= (work->frames ? work->frames : KF_FRAMES_OF_STILL) || coded > (width + 64) * (height + 64)) {
        if (work) work->refused = 1;
        return 0;
    }
    if (!kf_de265()->de265_get_default_image_allocation_functions()->get_buffer(context, spec, image, NULL))
        return 0;
    self->frames += 1;
    return 1;
}

static void release_frame(de265_decoder_context *context, struct de265_image *image, void *user) {
    kf_de265()->de265_get_default_image_allocation_functions()->release_buffer(context, image, NULL);
    ((decoder *)user)->frames -= 1;
}

static const char *plugin_name(void) { return "libde265 of Kingfisher"; }

// libheif does not pass `decoder_id` on to the cells of a grid, so the priority decides. Other users of
// libheif in this process have no work on their threads.
static int supports(enum heif_compression_format format) {
    return work && format == heif_compression_HEVC ? 1000 : 0;
}

static int supports_described(const enum heif_compression_format *description) {
    return supports(*description);
}

static struct heif_error create(void **result) {
    const int unfiltered = work && work->unfiltered;
    decoder *self = calloc(1, sizeof(decoder));
    de265_decoder_context *context = self ? kf_de265()->de265_new_decoder() : NULL;
    if (!context) {
        free(self);
        return failure(heif_error_Memory_allocation_error, "no decoder");
    }
    self->context = context;
    struct de265_image_allocation allocation = {take_frame, release_frame};
    kf_de265()->de265_set_image_allocation_functions(context, &allocation, self);
    kf_de265()->de265_set_parameter_bool(context, DE265_DECODER_PARAM_SUPPRESS_FAULTY_PICTURES, 1);
    kf_de265()->de265_set_parameter_bool(context, DE265_DECODER_PARAM_DISABLE_DEBLOCKING, unfiltered);
    kf_de265()->de265_set_parameter_bool(context, DE265_DECODER_PARAM_DISABLE_SAO, unfiltered);
    // Without them, the caller's thread decodes.
    if (work && work->threads > 0) kf_de265()->de265_start_worker_threads(context, work->threads);
    *result = self;
    return success;
}

static struct heif_error create_with_options(void **result, const void *options) {
    (void)options;
    return create(result);
}

static void destroy(void *raw) {
    decoder *self = raw;
    if (!self) return;
    kf_de265()->de265_free_decoder(self->context);
    free(self);
}

/// NAL units, each after its length (ISO/IEC 14496-15, 8.3.2).
static struct heif_error push_units(
    decoder *self, const uint8_t *bytes, size_t size, size_t length_bytes, int64_t place) {
    size_t offset = 0;
    while (offset < size) {
        if (size - offset < length_bytes) return corrupt("a NAL unit is truncated");
        uint32_t length = 0;
        for (size_t i = 0; i < length_bytes; i++) length = length << 8 | bytes[offset++];
        if (length > size - offset || length > INT32_MAX)
            return corrupt("a NAL unit is truncated");
        kf_de265()->de265_push_NAL(self->context, bytes + offset, (int)length, place, NULL);
        offset += length;
    }
    return success;
}

static struct heif_error push(void *raw, const void *data, size_t size) {
    return push_units(raw, data, size, 4, 0);
}

static struct heif_error push_tagged(void *raw, const void *data, size_t size, uintptr_t tag) {
    (void)tag;
    return push(raw, data, size);
}

static struct heif_error flush(void *raw) {
    kf_de265()->de265_flush_data(((decoder *)raw)->context);
    return success;
}

static enum heif_chroma chroma_of(const struct de265_image *frame) {
    switch (kf_de265()->de265_get_chroma_format(frame)) {
    case de265_chroma_mono: return heif_chroma_monochrome;
    case de265_chroma_420: return heif_chroma_420;
    case de265_chroma_422: return heif_chroma_422;
    case de265_chroma_444: return heif_chroma_444;
    }
    return heif_chroma_undefined;
}

static int copy_planes(const struct de265_image *frame, struct heif_image *image, int planes) {
    static const enum heif_channel channels[] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    const kf_heif_functions *heif = kf_heif_library();
    const kf_de265_functions *de265 = kf_de265();
    for (int i = 0; i < planes; i++) {
        const int width = de265->de265_get_image_width(frame, i);
        const int height = de265->de265_get_image_height(frame, i);
        const int depth = de265->de265_get_bits_per_pixel(frame, i);
        int from_stride = 0, to_stride = 0;
        const uint8_t *from = de265->de265_get_image_plane(frame, i, &from_stride);
        if (!from || heif->heif_image_add_plane(image, channels[i], width, height, depth).code) return 0;
        uint8_t *to = heif->heif_image_get_plane(image, channels[i], &to_stride);
        if (!to) return 0;
        for (int y = 0; y < height; y++) {
            memcpy(
                to + (size_t)y * to_stride, from + (size_t)y * from_stride,
                (size_t)width * (depth > 8 ? 2 : 1));
        }
    }
    return 1;
}

/// The colours that the bitstream states; the container's colours replace them.
static void set_colors(const struct de265_image *frame, struct heif_image *image) {
    const kf_heif_functions *heif = kf_heif_library();
    const kf_de265_functions *de265 = kf_de265();
    struct heif_color_profile_nclx *colors = heif->heif_nclx_color_profile_alloc();
    if (!colors) return;
    colors->color_primaries = (enum heif_color_primaries)de265->de265_get_image_colour_primaries(frame);
    colors->transfer_characteristics =
        (enum heif_transfer_characteristics)de265->de265_get_image_transfer_characteristics(frame);
    colors->matrix_coefficients =
        (enum heif_matrix_coefficients)de265->de265_get_image_matrix_coefficients(frame);
    colors->full_range_flag = (uint8_t)(de265->de265_get_image_full_range_flag(frame) != 0);
    heif->heif_image_set_nclx_color_profile(image, colors);
    heif->heif_nclx_color_profile_free(colors);
}

static struct heif_error convert(const struct de265_image *frame, struct heif_image **result) {
    const kf_heif_functions *heif = kf_heif_library();
    const enum heif_chroma chroma = chroma_of(frame);
    struct heif_image *image = NULL;
    struct heif_error error = heif->heif_image_create(
        kf_de265()->de265_get_image_width(frame, 0), kf_de265()->de265_get_image_height(frame, 0),
        chroma == heif_chroma_monochrome ? heif_colorspace_monochrome : heif_colorspace_YCbCr, chroma,
        &image);
    if (error.code) return error;
    if (!copy_planes(frame, image, chroma == heif_chroma_monochrome ? 1 : 3)) {
        heif->heif_image_release(image);
        return failure(heif_error_Memory_allocation_error, "no memory for a frame");
    }
    set_colors(frame, image);
    *result = image;
    return success;
}

static void deliver(const struct de265_image *frame) {
    const kf_de265_functions *de265 = kf_de265();
    kf_heif_frame result = {
        .count = de265->de265_get_chroma_format(frame) == de265_chroma_mono ? 1 : 3,
        .primaries = de265->de265_get_image_colour_primaries(frame),
        .transfer = de265->de265_get_image_transfer_characteristics(frame),
        .matrix = de265->de265_get_image_matrix_coefficients(frame),
        .full_range = de265->de265_get_image_full_range_flag(frame),
    };
    for (int i = 0; i < result.count; i++) {
        result.planes[i] = de265->de265_get_image_plane(frame, i, &result.strides[i]);
        result.widths[i] = de265->de265_get_image_width(frame, i);
        result.heights[i] = de265->de265_get_image_height(frame, i);
        result.depths[i] = de265->de265_get_bits_per_pixel(frame, i);
    }
    work->take(&result, work->user);
}

static struct heif_error decode(void *raw, struct heif_image **result) {
    decoder *self = raw;
    const kf_de265_functions *de265 = kf_de265();
    *result = NULL;
    flush(self);
    int more = 1;
    while (more) {
        const de265_error error = de265->de265_decode(self->context, &more);
        if (error != DE265_OK) return corrupt(de265->de265_get_error_text(error));
        const struct de265_image *frame = de265->de265_get_next_picture(self->context);
        if (!frame) continue;
        if (!work || !work->take) return convert(frame, result);
        deliver(frame);
        return failure(heif_error_Decoder_plugin_error, "the frame was taken");
    }
    return corrupt("no frame");
}

void kf_heif_take_frame(const void *sets, size_t sets_size, const void *units, size_t units_size) {
    void *self = NULL;
    struct heif_image *image = NULL;
    if (!work || !work->take || create(&self).code) return;
    if (!push(self, sets, sets_size).code && !push(self, units, units_size).code) decode(self, &image);
    destroy(self);
}

kf_heif_stream *kf_heif_open_stream(const void *sets, size_t size) {
    void *self = NULL;
    if (create(&self).code) return NULL;
    push(self, sets, size);
    return self;
}

void kf_heif_close_stream(kf_heif_stream *stream) { destroy(stream); }

int kf_heif_add_sample(
    kf_heif_stream *stream, const void *sample, size_t size, int length_bytes, int64_t place) {
    if (!sample) return flush(stream).code == heif_error_Ok;
    // Without `de265_push_end_of_frame`, which would show frames in the order of decoding.
    return push_units(stream, sample, size, (size_t)length_bytes, place).code == heif_error_Ok;
}

int kf_heif_take_place(kf_heif_stream *stream, int64_t place) {
    const kf_de265_functions *de265 = kf_de265();
    for (int more = 1;;) {
        const struct de265_image *frame;
        while ((frame = de265->de265_peek_next_picture(stream->context))) {
            const int64_t found = de265->de265_get_image_PTS(frame);
            if (found > place) return -1;
            if (found == place) deliver(frame);
            de265->de265_release_next_picture(stream->context);
            if (found == place) return 1;
        }
        if (!more) return 0;
        const de265_error error = de265->de265_decode(stream->context, &more);
        if (error == DE265_ERROR_WAITING_FOR_INPUT_DATA) more = 0;
        else if (error == DE265_ERROR_IMAGE_BUFFER_FULL && de265->de265_peek_next_picture(stream->context))
            continue;
        else if (error != DE265_OK) return -1;
    }
}

static struct heif_error decode_next(void *raw, struct heif_image **result, const void *limits) {
    (void)limits;
    return decode(raw, result);
}

static struct heif_error decode_tagged(
    void *raw, struct heif_image **result, uintptr_t *tag, const void *limits) {
    if (tag) *tag = 0;
    return decode_next(raw, result, limits);
}

static void set_strict(void *raw, int flag) {
    (void)raw;
    (void)flag;
}

/// `heif_decoder_plugin` of version 5, which the headers declare since libheif 1.21. The description of a
/// format begins with its code. Options and limits are not used: there are no threads, and `take_frame`
/// limits frames.
typedef struct {
    int version;
    const char *(*name)(void);
    void (*init)(void);
    void (*deinit)(void);
    int (*supports)(enum heif_compression_format);
    struct heif_error (*create)(void **);
    void (*destroy)(void *);
    struct heif_error (*push)(void *, const void *, size_t);
    struct heif_error (*decode)(void *, struct heif_image **);
    void (*set_strict)(void *, int);
    const char *id_name;
    struct heif_error (*decode_next)(void *, struct heif_image **, const void *);
    uint32_t minimum_library;
    int (*supports_described)(const enum heif_compression_format *);
    struct heif_error (*create_with_options)(void **, const void *);
    struct heif_error (*push_tagged)(void *, const void *, size_t, uintptr_t);
    struct heif_error (*flush)(void *);
    struct heif_error (*decode_tagged)(void *, struct heif_image **, uintptr_t *, const void *);
} plugin;

_Static_assert(offsetof(plugin, id_name) == offsetof(struct heif_decoder_plugin, id_name), "version 3");
#if LIBHEIF_NUMERIC_VERSION >= KF_HEIF_1_21
_Static_assert(
    offsetof(plugin, supports_described) == offsetof(struct heif_decoder_plugin, does_support_format2)
        && offsetof(plugin, decode_tagged) == offsetof(struct heif_decoder_plugin, decode_next_image2),
    "version 5");
#endif

int kf_heif_plugin_version(uint32_t library) { return library >= KF_HEIF_1_21 ? 5 : 3; }

struct heif_error kf_heif_register(const kf_heif_functions *heif) {
    static plugin decoder_plugin = {
        .name = plugin_name,
        .supports = supports,
        .create = create,
        .destroy = destroy,
        .push = push,
        .decode = decode,
        .set_strict = set_strict,
        .id_name = "kingfisher",
        .decode_next = decode_next,
        .minimum_library = KF_HEIF_1_21,
        .supports_described = supports_described,
        .create_with_options = create_with_options,
        .push_tagged = push_tagged,
        .flush = flush,
        .decode_tagged = decode_tagged,
    };
    decoder_plugin.version = kf_heif_plugin_version(heif->heif_get_version_number());
    return heif->heif_register_decoder_plugin((const struct heif_decoder_plugin *)&decoder_plugin);
}
