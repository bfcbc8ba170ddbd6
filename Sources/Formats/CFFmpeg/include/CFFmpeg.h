#pragma once
#if !__has_include(<libavformat/avformat.h>) || !__has_include(<libswscale/swscale.h>)
#error "<libavformat/avformat.h> is missing: run `make setup` (it installs libavformat-dev and libswscale-dev)"
#endif
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
#include <stdbool.h>
#include <stdint.h>
#include "CLibraryLoader.h"

// FFmpeg's structures differ by major version, so only the version of the headers is loaded.

#if LIBAVFORMAT_VERSION_MAJOR < 61
#define KF_AVFORMAT_SIDE_DATA(X) X(av_stream_get_side_data)
#define KF_AVCODEC_SIDE_DATA(X)
#else
#define KF_AVFORMAT_SIDE_DATA(X)
#define KF_AVCODEC_SIDE_DATA(X) X(av_packet_side_data_get)
#endif

#define KF_AVFORMAT_FUNCTIONS(X) \
    X(avformat_alloc_context) X(avformat_open_input) X(avformat_close_input) X(avio_alloc_context) \
    X(avio_context_free) X(av_find_input_format) X(av_read_frame) X(av_seek_frame) \
    X(av_guess_sample_aspect_ratio) KF_AVFORMAT_SIDE_DATA(X)

#define KF_AVCODEC_FUNCTIONS(X) \
    X(avcodec_find_decoder_by_name) X(avcodec_alloc_context3) X(avcodec_free_context) \
    X(avcodec_parameters_to_context) X(avcodec_open2) X(avcodec_send_packet) X(avcodec_receive_frame) \
    X(avcodec_flush_buffers) X(avcodec_get_name) X(av_packet_alloc) X(av_packet_free) X(av_packet_unref) \
    KF_AVCODEC_SIDE_DATA(X)

#define KF_AVUTIL_FUNCTIONS(X) \
    X(av_frame_alloc) X(av_frame_free) X(av_frame_unref) X(av_frame_move_ref) X(av_malloc) X(av_freep) \
    X(av_log_set_level) X(av_pix_fmt_desc_get)

#define KF_SWSCALE_FUNCTIONS(X) \
    X(sws_getContext) X(sws_freeContext) X(sws_scale) X(sws_setColorspaceDetails) X(sws_getCoefficients)

KF_LIBRARY_TABLE(kf_avformat, kf_avformat_functions, KF_AVFORMAT_FUNCTIONS)
KF_LIBRARY_TABLE(kf_avcodec, kf_avcodec_functions, KF_AVCODEC_FUNCTIONS)
KF_LIBRARY_TABLE(kf_avutil, kf_avutil_functions, KF_AVUTIL_FUNCTIONS)
KF_LIBRARY_TABLE(kf_swscale, kf_swscale_functions, KF_SWSCALE_FUNCTIONS)

/// The missing library, its Debian package and the reason; NULL if all libraries are loaded.
const char *_Nullable kf_video_missing(void);

/// Whether FFmpeg was built with this decoder. All libraries must be loaded.
bool kf_video_has_decoder(const char *_Nonnull name);

// MARK: Frames

/// Reads `count` bytes at `offset`; returns how many were read, 0 at the end, or -1.
typedef int64_t (*kf_video_read)(
    void *_Nullable context, int64_t offset, uint8_t *_Nonnull bytes, int64_t count);

/// A file, which must outlive the video.
typedef struct {
    kf_video_read _Nonnull read;
    void *_Nullable context;
    int64_t count;
} kf_video_source;

typedef enum {
    kf_video_ok,
    kf_video_truncated,
    kf_video_corrupt,
    kf_video_unsupported,
    kf_video_out_of_memory,
} kf_video_status;

/// An open file with its decoder, and the frame that was decoded last.
typedef struct {
    /// Why the last call failed. With a whole message of a library that cannot be loaded.
    kf_video_status status;
    char message[16 + sizeof(((kf_library *)0)->message)];

    // Of the frame.
    int width, height;
    /// The width of a sample divided by its height.
    double aspect;
    /// The value of EXIF's orientation that the display matrix means.
    int orientation;
    int depth;
    /// Code points (ITU-T H.273); 2 for unspecified ones.
    int primaries, transfer;

    // Private.
    kf_video_source source;
    int64_t position;
    AVFormatContext *_Nullable format;
    AVIOContext *_Nullable io;
    AVCodecContext *_Nullable codec;
    AVStream *_Nullable stream;
    AVPacket *_Nullable packet;
    AVFrame *_Nullable frame, *_Nullable next;
    /// The presentation time of the first frame, in the time base of the stream.
    int64_t start;
    /// The time of the wanted frame, and the latest one up to it of the packets that were read.
    int64_t asked, latest;
    bool is_ebml, was_cut;
} kf_video;

/// Opens the first video stream. `pixels` is the limit of a frame. On failure, `status` is set. The video
/// must be closed in both cases, must not move in memory, and is not for concurrent use.
bool kf_video_open(kf_video *_Nonnull video, kf_video_source source, int64_t pixels);

/// Decodes the frame that is shown `seconds` after the start, or the keyframe before it: the first frame for
/// an earlier time, the last one for a later time.
bool kf_video_decode(kf_video *_Nonnull video, double seconds, bool is_keyframe);

/// Converts the frame to opaque RGBA of another size, with 16 bits if the frame has more than 8.
bool kf_video_copy(kf_video *_Nonnull video, void *_Nonnull rows, int stride, int width, int height);

void kf_video_close(kf_video *_Nonnull video);
