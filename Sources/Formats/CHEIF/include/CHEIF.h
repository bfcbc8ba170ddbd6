#pragma once
#if !__has_include(<libheif/heif.h>) || !__has_include(<libheif/heif_plugin.h>)
#error "<libheif/heif.h> is missing: run `make setup` (it installs libheif-dev)"
#endif
#if !__has_include(<libde265/de265.h>)
#error "<libde265/de265.h> is missing: run `make setup` (it installs libde265-dev)"
#endif
#include <libde265/de265.h>
#include <libheif/heif.h>
#include <libheif/heif_plugin.h>
#include <stdint.h>
#include "CLibraryLoader.h"

#define KF_HEIF_FUNCTIONS(X) \
    X(heif_get_version) X(heif_get_version_number) X(heif_register_decoder_plugin) \
    X(heif_context_alloc) X(heif_context_free) \
    X(heif_context_read_from_reader) X(heif_context_set_maximum_image_size_limit) \
    X(heif_context_set_max_decoding_threads) X(heif_context_get_primary_image_handle) \
    X(heif_image_handle_release) X(heif_decode_image) X(heif_image_create) X(heif_image_add_plane) \
    X(heif_image_release) X(heif_image_get_width) X(heif_image_get_height) \
    X(heif_image_get_bits_per_pixel_range) X(heif_image_get_plane) \
    X(heif_image_set_nclx_color_profile) X(heif_nclx_color_profile_alloc) \
    X(heif_nclx_color_profile_free)

KF_LIBRARY_TABLE(kf_heif_library, kf_heif_functions, KF_HEIF_FUNCTIONS)

#define KF_DE265_FUNCTIONS(X) \
    X(de265_get_version) X(de265_init) X(de265_new_decoder) X(de265_free_decoder) X(de265_push_NAL) \
    X(de265_start_worker_threads) \
    X(de265_flush_data) X(de265_decode) X(de265_get_next_picture) X(de265_peek_next_picture) \
    X(de265_release_next_picture) X(de265_get_image_PTS) X(de265_set_parameter_bool) \
    X(de265_get_image_width) X(de265_get_image_height) X(de265_get_chroma_format) \
    X(de265_get_bits_per_pixel) X(de265_get_image_plane) X(de265_get_image_full_range_flag) \
    X(de265_get_image_colour_primaries) X(de265_get_image_transfer_characteristics) \
    X(de265_get_image_matrix_coefficients) X(de265_set_image_allocation_functions) \
    X(de265_get_default_image_allocation_functions) X(de265_get_error_text)

KF_LIBRARY_TABLE(kf_de265, kf_de265_functions, KF_DE265_FUNCTIONS)

/// libheif 1.21, whose interface for decoders differs: since then only version 5 and later are used, and 1.15
/// refuses versions above 3. Headers and library may be on different sides of it.
#define KF_HEIF_1_21 0x01150000u

/// The version of our decoders for a libheif of this `heif_get_version_number`.
int kf_heif_plugin_version(uint32_t library);

/// The functions of libheif, with libde265 loaded and our decoders registered; NULL if one is missing, or if
/// libheif refuses the decoders.
const kf_heif_functions *_Nullable kf_heif(void);
const char *_Nonnull kf_heif_missing(void);

// MARK: Files

/// A file as libheif reads it: with another header, and followed by a list of items.
typedef struct {
    const uint8_t *_Nullable file;
    size_t count;
    const uint8_t *_Nullable header;
    size_t header_count;
    const uint8_t *_Nullable items;
    size_t items_count;
    int64_t position;
} kf_heif_source;

/// Reads a `kf_heif_source`, which must outlive the context.
const struct heif_reader *_Nonnull kf_heif_reader(void);

// MARK: Decoding

/// A decoded frame in the memory of libde265.
typedef struct {
    const uint8_t *_Nullable planes[3];  // Y, Cb, Cr
    int strides[3], widths[3], heights[3], depths[3];
    int count;  // 1 for greyscale
    /// What the bitstream states (ITU-T H.273); 2 for unspecified ones.
    int primaries, transfer, matrix, full_range;
} kf_heif_frame;

/// How our decoder of HEVC on libde265 works on this thread.
///
/// Without `threads` it starts none, unlike libheif's own. It refuses frames that are larger than declared.
typedef struct {
    /// The most pixels of a frame.
    int64_t limit;
    /// The most frames in memory, for a sequence; 0 for a still.
    int frames;
    /// Whether a frame above a limit was refused.
    int refused;
    /// Whether a frame is corrupt. Since 1.23 at the latest, libheif leaves out cells of a grid that are.
    int failed;
    /// Leaves out the filters against block edges (ITU-T H.265, 8.7), whose result shrinking averages away.
    int unfiltered;
    /// How many threads decode the rows of blocks that the file lets decode at the same time (ITU-T H.265,
    /// `entropy_coding_sync_enabled_flag` or tiles), while the caller waits; 0 for the caller's alone.
    int threads;
    /// If set, gets the frame, which is valid during the call. `heif_decode_image` fails then, because
    /// libheif would copy the frame and convert its colours.
    void (*_Nullable take)(const kf_heif_frame *_Nonnull frame, void *_Nullable user);
    void *_Nullable user;
} kf_heif_work;

/// Sets the work of this thread, which must stay valid until it is replaced. While there is one, calls of
/// `heif_decode_image` on this thread use our decoder.
void kf_heif_set_work(kf_heif_work *_Nullable work);

/// Decodes the first frame of a bitstream for the work of this thread, which must take frames. Both parts
/// are NAL units, each after a length of four bytes. Without a frame nothing is taken.
void kf_heif_take_frame(
    const void *_Nullable sets, size_t sets_size, const void *_Nullable units, size_t units_size);

// MARK: Sequences

/// The decoder of a track. Its functions decode for the work of the calling thread, which must take frames.
typedef struct kf_heif_stream kf_heif_stream;

/// Begins with parameter sets, NAL units that each follow their length of four bytes; NULL without memory.
kf_heif_stream *_Nullable kf_heif_open_stream(const void *_Nullable sets, size_t size);
void kf_heif_close_stream(kf_heif_stream *_Nullable stream);

/// Adds a sample with the place of its frame among all frames as they are shown. Its NAL units follow lengths
/// of `length_bytes`. Without a sample, the stream ends. Returns 0 if the sample is malformed.
int kf_heif_add_sample(
    kf_heif_stream *_Nonnull stream, const void *_Nullable sample, size_t size, int length_bytes, int64_t place);

/// Decodes up to the frame with `place`, which the work takes; earlier ones are dropped. Returns 1 if the
/// frame was taken, 0 if more samples are needed, and -1 if there is no such frame.
int kf_heif_take_place(kf_heif_stream *_Nonnull stream, int64_t place);

// MARK: Pixels

/// A conversion of YCbCr to RGB (ITU-T H.273, 8.3), with samples of `depth` bits.
typedef struct {
    float red, blue;  // KR and KB of the matrix
    int full_range;
    int depth;
} kf_heif_matrix;

/// Converts rows of 8-bit samples to opaque RGBA; without `u` and `v`, greyscale.
void kf_heif_rgba8(
    const kf_heif_matrix *_Nonnull matrix, const uint8_t *_Nonnull y, const uint8_t *_Nullable u,
    const uint8_t *_Nullable v, size_t count, uint8_t *_Nonnull rgba);

/// The same for samples of more bits, which become 16.
void kf_heif_rgba16(
    const kf_heif_matrix *_Nonnull matrix, const uint16_t *_Nonnull y, const uint16_t *_Nullable u,
    const uint16_t *_Nullable v, size_t count, uint16_t *_Nonnull rgba);

/// Extends samples of `depth` bits to 16, in place: 2^depth - 1 becomes 65,535.
void kf_heif_extend(uint16_t *_Nonnull samples, size_t count, int depth);
