/* The frames of an animated WebP, composed by libwebpdemux's WebPAnimDecoder in MODE_RGBA.
 *
 *     cc -O1 anim_dump.c -o anim_dump $(pkg-config --cflags --libs libwebpdemux libwebp)
 *     anim_dump FILE.webp FRAMES.rgba
 *
 * Writes all composed frames as straight 8-bit RGBA, one after another, and prints one line of JSON: size, loop
 * count and the milliseconds of each frame. It replaces libwebp's tool of this name, which Debian's package
 * `webp` does not contain. */
#include <stdio.h>
#include <stdlib.h>
#include <webp/demux.h>

static int fail(const char *what) {
    fprintf(stderr, "anim_dump: %s\n", what);
    return 1;
}

static uint8_t *slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) return NULL;
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    if (bytes != NULL && fread(bytes, 1, *size, file) != *size) bytes = NULL;
    fclose(file);
    return bytes;
}

int main(int count, char **arguments) {
    if (count != 3) return fail("usage: anim_dump FILE.webp FRAMES.rgba");
    WebPData data;
    data.bytes = slurp(arguments[1], &data.size);
    if (data.bytes == NULL) return fail("cannot read the file");

    WebPAnimDecoderOptions options;
    WebPAnimInfo info;
    WebPAnimDecoderOptionsInit(&options);
    options.color_mode = MODE_RGBA;
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, &options);
    if (decoder == NULL || !WebPAnimDecoderGetInfo(decoder, &info)) return fail("not a WebP file");

    FILE *out = fopen(arguments[2], "wb");
    if (out == NULL) return fail("cannot write the frames");
    printf("{\"width\": %u, \"height\": %u, \"loops\": %u, \"milliseconds\": [", info.canvas_width,
           info.canvas_height, info.loop_count);
    int shown_until = 0;
    for (uint32_t frame = 0; frame < info.frame_count; frame++) {
        uint8_t *pixels;
        int end;
        if (!WebPAnimDecoderGetNext(decoder, &pixels, &end)) return fail("a frame is corrupt");
        fwrite(pixels, 4, (size_t)info.canvas_width * info.canvas_height, out);
        printf("%s%d", frame == 0 ? "" : ", ", end - shown_until);
        shown_until = end;
    }
    printf("]}\n");
    WebPAnimDecoderDelete(decoder);
    return fclose(out) == 0 ? 0 : fail("cannot write the frames");
}
