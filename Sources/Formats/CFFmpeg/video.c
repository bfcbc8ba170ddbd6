#include "CFFmpeg.h"

#include <libavutil/display.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/// FFmpeg's buffer, and the most bytes that it reads at once.
static const int buffer_size = 64 << 10;
/// How often decoding begins at an earlier keyframe, because all frames after one are shown later than asked.
static const int most_attempts = 4;
/// Parts of a file whose ends are looked at.
static const int most_parts = 64;
/// Packets that cannot be decoded, after which a stream is corrupt.
static const int most_errors = 100;

static bool fail(kf_video *video, kf_video_status status, const char *message) {
    video->status = status;
    snprintf(video->message, sizeof(video->message), "%s", message);
    return false;
}

static bool fail_with(kf_video *video, int error, const char *what) {
    switch (error) {
    case AVERROR(ENOMEM): return fail(video, kf_video_out_of_memory, what);
    case AVERROR_EOF: return fail(video, kf_video_truncated, what);
    case AVERROR_PATCHWELCOME: return fail(video, kf_video_unsupported, what);
    default: return fail(video, kf_video_corrupt, what);
    }
}

// MARK: Reading

static int read_bytes(void *context, uint8_t *bytes, int count) {
    kf_video *video = context;
    const int64_t left = video->source.count - video->position;
    if (left <= 0) return AVERROR_EOF;
    const int64_t wanted = count < left ? count : left;
    const int64_t done = video->source.read(video->source.context, video->position, bytes, wanted);
    if (done <= 0) return done == 0 ? AVERROR_EOF : AVERROR(EIO);
    video->position += done;
    return (int)done;
}

static int64_t seek(void *context, int64_t offset, int whence) {
    kf_video *video = context;
    switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE: return video->source.count;
    case SEEK_SET: break;
    case SEEK_CUR: offset += video->position; break;
    case SEEK_END: offset += video->source.count; break;
    default: return AVERROR(EINVAL);
    }
    if (offset < 0 || offset > video->source.count) return AVERROR(EINVAL);
    return video->position = offset;
}

/// A file must not name others.
static int refuse_file(AVFormatContext *format, AVIOContext **io, const char *url, int flags, AVDictionary **options) {
    (void)format, (void)io, (void)url, (void)flags, (void)options;
    return AVERROR(EACCES);
}

// MARK: Opening

/// The demuxer by the first bytes: the box `ftyp` and its old relatives, or EBML. FFmpeg's own guess would
/// try all of its formats.
static const char *demuxer(kf_video *video) {
    uint8_t bytes[12] = {0};
    if (video->source.count < 12 || video->source.read(video->source.context, 0, bytes, 12) != 12) return NULL;
    static const char boxes[][5] = {"ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"};
    for (size_t i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++)
        if (memcmp(bytes + 4, boxes[i], 4) == 0) return "mov";
    video->is_ebml = memcmp(bytes, "\x1a\x45\xdf\xa3", 4) == 0;
    return video->is_ebml ? "matroska" : NULL;
}

/// A number of EBML, whose first byte tells its length; -1 if it is unknown.
static int64_t ebml_number(const uint8_t *bytes, int *length) {
    *length = __builtin_clz((unsigned)bytes[0] << 24 | 1) + 1;
    uint64_t value = bytes[0] & ((1 << (8 - *length)) - 1), unknown = (1ULL << 7 * *length) - 1;
    for (int i = 1; i < *length && i < 8; i++) value = value << 8 | bytes[i];
    return *length > 8 || value == unknown ? -1 : (int64_t)value;
}

/// The end of the element of EBML (RFC 8794, 6) or the box (ISO/IEC 14496-12, 4.2) at `start`; -1 if it is
/// unknown, or if there is none.
static int64_t end_of_part(const kf_video *video, int64_t start, bool is_ebml) {
    uint8_t bytes[16] = {0};
    const int64_t left = video->source.count - start, wanted = left < 16 ? left : 16;
    if (wanted < 12 || video->source.read(video->source.context, start, bytes, wanted) < wanted) return -1;
    int length = 0;
    int64_t count;
    if (is_ebml) {
        count = ebml_number(bytes + 4, &length);
        return count < 0 ? -1 : start + 4 + length + count;
    }
    count = (int64_t)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
    if (count == 1)
        for (int i = 8; i < 16; i++) count = (i == 8 ? 0 : count << 8) | bytes[i];
    return count < 8 ? -1 : start + count;
}

/// Whether the file ends within one of its parts. FFmpeg takes such an end for a regular one.
static bool lacks_end(const kf_video *video) {
    const bool is_ebml = video->is_ebml;
    int64_t end = 0;
    for (int parts = 0; parts < most_parts && end >= 0 && end < video->source.count; parts++)
        end = end_of_part(video, end, is_ebml);
    return end > video->source.count;
}

/// The decoders that are used, which are FFmpeg's own and libdav1d.
static const char *decoder(enum AVCodecID codec) {
    switch (codec) {
    case AV_CODEC_ID_H264: return "h264";
    case AV_CODEC_ID_HEVC: return "hevc";
    case AV_CODEC_ID_VP8: return "vp8";
    case AV_CODEC_ID_VP9: return "vp9";
    case AV_CODEC_ID_AV1: return "libdav1d";
    default: return NULL;
    }
}

static bool open_format(kf_video *video) {
    const kf_avformat_functions *av = kf_avformat();
    const char *name = demuxer(video);
    if (!name) return fail(video, kf_video_unsupported, "a file that is neither MP4, MOV, Matroska nor WebM");
    uint8_t *buffer = kf_avutil()->av_malloc((size_t)buffer_size);
    video->io = buffer ? av->avio_alloc_context(buffer, buffer_size, 0, video, read_bytes, NULL, seek) : NULL;
    if (buffer && !video->io) kf_avutil()->av_freep(&buffer);
    video->format = av->avformat_alloc_context();
    if (!video->io || !video->format) return fail(video, kf_video_out_of_memory, "");
    video->format->pb = video->io;
    video->format->flags |= AVFMT_FLAG_CUSTOM_IO;
    video->format->io_open = refuse_file;
    // Frees the format if it fails.
    const int error = av->avformat_open_input(&video->format, NULL, av->av_find_input_format(name), NULL);
    if (error < 0) return fail_with(video, error, "the structure of the file");
    return true;
}

static bool find_stream(kf_video *video) {
    for (unsigned i = 0; i < video->format->nb_streams; i++) {
        AVStream *stream = video->format->streams[i];
        const bool is_cover = stream->disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS);
        if (stream->codecpar->codec_type != AVMEDIA_TYPE_VIDEO || is_cover) continue;
        if (!video->stream || (stream->disposition & ~video->stream->disposition & AV_DISPOSITION_DEFAULT))
            video->stream = stream;
    }
    return video->stream || fail(video, kf_video_unsupported, "a file without a video track");
}

static bool open_codec(kf_video *video, int64_t pixels) {
    const kf_avcodec_functions *av = kf_avcodec();
    const AVCodecParameters *parameters = video->stream->codecpar;
    const char *name = decoder(parameters->codec_id);
    const AVCodec *codec = name ? av->avcodec_find_decoder_by_name(name) : NULL;
    if (!codec) {
        char message[96];
        snprintf(message, sizeof(message), "video coded as %s", av->avcodec_get_name(parameters->codec_id));
        return fail(video, kf_video_unsupported, message);
    }
    video->codec = av->avcodec_alloc_context3(codec);
    video->packet = av->av_packet_alloc();
    video->frame = kf_avutil()->av_frame_alloc();
    video->next = kf_avutil()->av_frame_alloc();
    if (!video->codec || !video->packet || !video->frame || !video->next)
        return fail(video, kf_video_out_of_memory, "");
    int error = av->avcodec_parameters_to_context(video->codec, parameters);
    // A decoder process cannot start threads.
    video->codec->thread_count = 1;
    video->codec->max_pixels = pixels;
    video->codec->pkt_timebase = video->stream->time_base;
    if (error >= 0) error = av->avcodec_open2(video->codec, codec, NULL);
    return error >= 0 || fail_with(video, error, "the parameters of the video");
}

/// Reads packets until the first one of the video, for the time at which the file starts: other tracks may
/// start earlier. What is before 0 is not played, such as the first samples of AAC.
static bool find_start(kf_video *video) {
    double first = INFINITY;
    for (;;) {
        const int error = kf_avformat()->av_read_frame(video->format, video->packet);
        if (error < 0) return fail_with(video, error, "the file has no frame");
        const AVStream *stream = video->format->streams[video->packet->stream_index];
        const bool is_video = stream == video->stream;
        const int64_t time = video->packet->pts != AV_NOPTS_VALUE ? video->packet->pts : video->packet->dts;
        const double seconds = time == AV_NOPTS_VALUE ? 0 : (double)time * av_q2d(stream->time_base);
        const bool counts = is_video || stream->codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
        kf_avcodec()->av_packet_unref(video->packet);
        if (counts && seconds < first) first = seconds;
        if (is_video) break;
    }
    video->start = llround(fmax(first, 0) / av_q2d(video->stream->time_base));
    for (unsigned i = 0; i < video->format->nb_streams; i++)
        if (video->format->streams[i] != video->stream) video->format->streams[i]->discard = AVDISCARD_ALL;
    return true;
}

bool kf_video_open(kf_video *video, kf_video_source source, int64_t pixels) {
    memset(video, 0, sizeof(*video));
    video->source = source;
    const char *missing = kf_video_missing();
    if (missing) {
        video->status = kf_video_unsupported;
        snprintf(video->message, sizeof(video->message), "video without %s", missing);
        return false;
    }
    kf_avutil()->av_log_set_level(AV_LOG_QUIET);
    return open_format(video) && find_stream(video) && open_codec(video, pixels) && find_start(video);
}

// MARK: Decoding

/// Leaves out a frame to which no other refers if an earlier packet has a frame that is shown between it and
/// the asked time: packets are in the order of decoding.
static void skip_before(kf_video *video, int64_t shown) {
    const bool is_hidden = shown != AV_NOPTS_VALUE && shown < video->latest;
    video->codec->skip_frame = is_hidden ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
    if (shown != AV_NOPTS_VALUE && shown <= video->asked && shown > video->latest) video->latest = shown;
}

/// Gives the decoder the next packet of the video; at the end, nothing, after which it gives its last frames.
static int send_packet(kf_video *video, int *errors) {
    AVPacket *packet = video->packet;
    int error;
    do {
        kf_avcodec()->av_packet_unref(packet);
        error = kf_avformat()->av_read_frame(video->format, packet);
    } while (error >= 0 && packet->stream_index != video->stream->index);
    if (error < 0) {
        video->was_cut |= error != AVERROR_EOF;
        return kf_avcodec()->avcodec_send_packet(video->codec, NULL);
    }
    video->was_cut |= (packet->flags & AV_PKT_FLAG_CORRUPT) != 0;
    skip_before(video, packet->pts);
    error = kf_avcodec()->avcodec_send_packet(video->codec, packet);
    kf_avcodec()->av_packet_unref(packet);
    return error == AVERROR_INVALIDDATA && ++*errors < most_errors ? 0 : error;
}

typedef enum { found, is_later, failed } search;

/// Decodes until a frame is shown after `time`, and keeps the frame before that. `is_later` if there is none.
static search decode_until(kf_video *video, int64_t time, bool is_keyframe) {
    int errors = 0, error = 0;
    kf_avutil()->av_frame_unref(video->frame);
    video->was_cut = false;
    video->asked = time;
    video->latest = INT64_MIN;
    while (error >= 0) {
        error = kf_avcodec()->avcodec_receive_frame(video->codec, video->next);
        if (error == AVERROR(EAGAIN)) {
            error = send_packet(video, &errors);
            continue;
        }
        if (error == AVERROR_INVALIDDATA && ++errors < most_errors) {
            error = 0;
            continue;
        }
        if (error < 0) break;
        const int64_t shown = video->next->best_effort_timestamp;
        const bool is_after = shown != AV_NOPTS_VALUE && shown > time;
        if (is_after && video->frame->buf[0]) {
            kf_avutil()->av_frame_unref(video->next);
            return found;
        }
        kf_avutil()->av_frame_unref(video->frame);
        kf_avutil()->av_frame_move_ref(video->frame, video->next);
        if (is_after) return is_later;
        if (is_keyframe) return found;
    }
    if (error != AVERROR_EOF) {
        fail_with(video, error, "a frame cannot be decoded");
        return failed;
    }
    video->was_cut |= lacks_end(video);
    if (video->frame->buf[0] && !video->was_cut) return found;
    fail(video, video->was_cut ? kf_video_truncated : kf_video_corrupt, "no frame can be decoded");
    return failed;
}

static int orientation_of(const int32_t *matrix) {
    const int64_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
    if (llabs(a) + llabs(d) >= llabs(b) + llabs(c)) return a < 0 ? (d < 0 ? 3 : 2) : (d < 0 ? 4 : 1);
    return b > 0 ? (c > 0 ? 5 : 6) : (c > 0 ? 8 : 7);
}

static const int32_t *display_matrix(const AVStream *stream) {
    const size_t size = 9 * sizeof(int32_t);
#if LIBAVFORMAT_VERSION_MAJOR < 61
    size_t count = 0;
    const uint8_t *data = kf_avformat()->av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &count);
    return data && count >= size ? (const int32_t *)(const void *)data : NULL;
#else
    const AVCodecParameters *parameters = stream->codecpar;
    const AVPacketSideData *data = kf_avcodec()->av_packet_side_data_get(
        parameters->coded_side_data, parameters->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX);
    return data && data->size >= size ? (const int32_t *)(const void *)data->data : NULL;
#endif
}

static bool describe(kf_video *video) {
    const AVFrame *frame = video->frame;
    const AVPixFmtDescriptor *format = kf_avutil()->av_pix_fmt_desc_get(frame->format);
    if (!format || format->flags & AV_PIX_FMT_FLAG_HWACCEL || frame->width <= 0 || frame->height <= 0)
        return fail(video, kf_video_corrupt, "a frame without pixels");
    const AVRational aspect =
        kf_avformat()->av_guess_sample_aspect_ratio(video->format, video->stream, video->frame);
    const int32_t *matrix = display_matrix(video->stream);
    video->width = frame->width;
    video->height = frame->height;
    video->aspect = aspect.num > 0 && aspect.den > 0 ? av_q2d(aspect) : 1;
    video->orientation = matrix ? orientation_of(matrix) : 1;
    video->depth = format->comp[0].depth;
    video->primaries = frame->color_primaries;
    video->transfer = frame->color_trc;
    return true;
}

bool kf_video_decode(kf_video *video, double seconds, bool is_keyframe) {
    const double base = av_q2d(video->stream->time_base), last = (double)(INT64_MAX / 4);
    const double asked = seconds / base + (double)video->start;
    const int64_t time = asked >= last ? (int64_t)last : asked <= 0 ? 0 : llround(asked);
    int64_t from = time;
    for (int attempt = 1;; attempt++) {
        // Before the first frame, seeking fails, and decoding begins there.
        if (kf_avformat()->av_seek_frame(video->format, video->stream->index, from, AVSEEK_FLAG_BACKWARD) < 0
            && kf_avformat()->av_seek_frame(video->format, video->stream->index, 0, 0) < 0)
            return fail(video, kf_video_corrupt, "the file has no index");
        kf_avcodec()->avcodec_flush_buffers(video->codec);
        switch (decode_until(video, time, is_keyframe)) {
        case found: return describe(video);
        case failed: return false;
        case is_later: break;
        }
        if (attempt == most_attempts || from <= 0) return describe(video);
        // The index has times of decoding: the keyframe may be shown later. Or the frames after it that are
        // shown earlier refer to the group before.
        const int64_t step = llround((attempt == 1 ? 1 : 10) / base);
        from = attempt + 1 == most_attempts || from < step ? 0 : from - step;
    }
}

// MARK: Pixels

/// The matrix of YCbCr. For large frames that state none, players take the matrix of BT.709.
static int matrix_of(const AVFrame *frame) {
    switch (frame->colorspace) {
    case AVCOL_SPC_UNSPECIFIED: return frame->height >= 720 || frame->width >= 1280 ? SWS_CS_ITU709 : SWS_CS_ITU601;
    case AVCOL_SPC_BT2020_CL: return SWS_CS_BT2020;
    default: return frame->colorspace;
    }
}

bool kf_video_copy(kf_video *video, void *rows, int stride, int width, int height) {
    const kf_swscale_functions *sws = kf_swscale();
    const AVFrame *frame = video->frame;
    const enum AVPixelFormat target = video->depth > 8 ? AV_PIX_FMT_RGBA64LE : AV_PIX_FMT_RGBA;
    struct SwsContext *scaler = sws->sws_getContext(
        frame->width, frame->height, frame->format, width, height, target,
        SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT, NULL, NULL, NULL);
    if (!scaler) return fail(video, kf_video_unsupported, "the pixel format of the video");
    const int *matrix = sws->sws_getCoefficients(matrix_of(frame));
    // Fails for RGB, which has no matrix.
    sws->sws_setColorspaceDetails(
        scaler, matrix, frame->color_range == AVCOL_RANGE_JPEG, matrix, 1, 0, 1 << 16, 1 << 16);
    uint8_t *planes[4] = {rows};
    const int strides[4] = {stride};
    const int done = sws->sws_scale(
        scaler, (const uint8_t *const *)frame->data, frame->linesize, 0, frame->height, planes, strides);
    sws->sws_freeContext(scaler);
    return done == height || fail(video, kf_video_corrupt, "a frame cannot be converted");
}

void kf_video_close(kf_video *video) {
    if (kf_video_missing()) return;
    kf_avutil()->av_frame_free(&video->frame);
    kf_avutil()->av_frame_free(&video->next);
    kf_avcodec()->av_packet_free(&video->packet);
    kf_avcodec()->avcodec_free_context(&video->codec);
    if (video->format) kf_avformat()->avformat_close_input(&video->format);
    if (video->io) kf_avutil()->av_freep(&video->io->buffer);
    kf_avformat()->avio_context_free(&video->io);
}
