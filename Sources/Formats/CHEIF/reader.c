#include "CHEIF.h"

#include <string.h>

static int64_t length_of(const kf_heif_source *source) {
    return (int64_t)(source->count + source->items_count);
}

/// Copies what `size` bytes from `position` on have of a part of the file.
static void copy_part(
    uint8_t *to, int64_t position, int64_t size, const uint8_t *part, size_t offset, size_t count) {
    const int64_t begin = (int64_t)offset, end = begin + (int64_t)count;
    const int64_t first = position > begin ? position : begin;
    const int64_t last = position + size < end ? position + size : end;
    if (first < last) memcpy(to + (first - position), part + (first - begin), (size_t)(last - first));
}

static int64_t get_position(void *user) { return ((kf_heif_source *)user)->position; }

static int read_bytes(void *data, size_t size, void *user) {
    kf_heif_source *source = user;
    const int64_t position = source->position;
    if (size > (uint64_t)(length_of(source) - position)) return -1;
    copy_part(data, position, (int64_t)size, source->file, 0, source->count);
    copy_part(data, position, (int64_t)size, source->header, 0, source->header_count);
    copy_part(data, position, (int64_t)size, source->items, source->count, source->items_count);
    source->position += (int64_t)size;
    return 0;
}

static int seek_to(int64_t position, void *user) {
    kf_heif_source *source = user;
    if (position < 0 || position > length_of(source)) return -1;
    source->position = position;
    return 0;
}

static enum heif_reader_grow_status wait_for_size(int64_t size, void *user) {
    return size > length_of(user) ? heif_reader_grow_status_size_beyond_eof
                                  : heif_reader_grow_status_size_reached;
}

const struct heif_reader *kf_heif_reader(void) {
    static const struct heif_reader reader = {
        .reader_api_version = 1,
        .get_position = get_position,
        .read = read_bytes,
        .seek = seek_to,
        .wait_for_file_size = wait_for_size,
    };
    return &reader;
}
