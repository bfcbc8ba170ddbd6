#include "jpeg_bits.h"

// A section is decoded up to the last restart marker in it, or else up to an MCU near its end. The bytes
// after that are carried to the next section. Intervals between restarts that have room for several streams,
// and scans without restarts, are decoded by speculation; of others each stream takes one.

static size_t blocks_of_mcu(const kf_jpeg_mcu *mcu) { return mcu->is_uniform ? 1 : (size_t)mcu->blocks; }

kf_jpeg_reader kf_jpeg_start_reading(const kf_jpeg_scan *scan) {
    kf_jpeg_mcu mcu = kf_jpeg_make_mcu(scan);
    kf_jpeg_reader reader = {.blocks = (size_t)scan->columns * scan->rows * blocks_of_mcu(&mcu)};
    size_t interval = scan->restart_interval * blocks_of_mcu(&mcu);
    reader.interval_blocks = interval && interval < reader.blocks ? interval : reader.blocks;
    return reader;
}

/// What one call reads, and with what.
typedef struct {
    const kf_jpeg_scan *scan;
    kf_jpeg_mcu mcu;
    size_t mcu_blocks;
    int streams;
    kf_jpeg_reader *reader;
    const kf_jpeg_scratch *scratch;
    kf_jpeg_section *section;
} reading;

/// Puts the carried bytes and those that follow into the section.
static kf_jpeg_unstuffed fill(const reading *own) {
    kf_jpeg_reader *reader = own->reader;
    kf_jpeg_section *section = own->section;
    size_t carried = reader->carried_count;
    uint32_t *starts = own->scratch->starts;
    if (carried) memmove(section->data, reader->carried, carried);
    kf_jpeg_unstuffed added = kf_jpeg_unstuff(
        own->scan->source + reader->offset, own->scan->source_count - reader->offset, section->data + carried,
        section->capacity - carried, reader->restarts, starts + 1, own->scratch->maximum_restarts);
    reader->offset += added.read;
    reader->restarts += (uint32_t)added.restarts;
    section->length = carried + added.written;
    memset(section->data + section->length, 0, KF_JPEG_PADDING);
    starts[0] = reader->bit;
    for (size_t i = 1; i <= added.restarts; i++) starts[i] = (starts[i] + (uint32_t)carried) * 8;
    starts[added.restarts + 1] = (uint32_t)section->length * 8;
    return added;
}

static kf_jpeg_parts decode(const reading *own, kf_jpeg_range range, bool is_whole) {
    return kf_jpeg_decode_range(&own->mcu, own->section, own->scratch, range, is_whole, own->streams);
}

/// Decodes intervals one after the other to the section. False if one is not certainly valid.
static bool join_intervals(const reading *own, const kf_jpeg_intervals *intervals) {
    kf_jpeg_block *target = own->section->blocks;
    for (size_t i = 0; i < intervals->count; i++) {
        kf_jpeg_parts found = decode(own, kf_jpeg_interval(intervals, i), true);
        if (!found.count) return false;
        for (int j = 0; j < found.count; target += found.parts[j++].count) {
            memcpy(target, found.parts[j].blocks, found.parts[j].count * sizeof *target);
        }
    }
    return true;
}

static kf_jpeg_parts decode_intervals(const reading *own, const kf_jpeg_intervals *intervals) {
    // Valid data cannot have more blocks than there is room for.
    if (intervals->total > own->section->room) return (kf_jpeg_parts){0};
    if (intervals->count == 1) return decode(own, kf_jpeg_interval(intervals, 0), true);
    bool is_valid = intervals->count < KF_JPEG_STREAMS
        ? join_intervals(own, intervals)
        : kf_jpeg_decode_intervals(&own->mcu, own->section, own->scratch, intervals, own->streams);
    return (kf_jpeg_parts){is_valid, {{own->section->blocks, intervals->total, intervals->starts[0]}}};
}

static void carry(const reading *own, size_t blocks, uint64_t position) {
    kf_jpeg_reader *reader = own->reader;
    reader->blocks -= blocks;
    own->section->consumed = position / 8;
    reader->carried = own->section->data + position / 8;
    reader->carried_count = own->section->length - position / 8;
    reader->bit = position & 7;
}

/// Decodes all intervals that end in the section.
static kf_jpeg_parts read_intervals(const reading *own, size_t count) {
    static const kf_jpeg_parts none = {0};
    kf_jpeg_reader *reader = own->reader;
    size_t each = own->scan->restart_interval * own->mcu_blocks;
    size_t most = reader->interval_blocks + (count - 1) * each;
    // There must be blocks for the last interval.
    if (count > 1 && most - each >= reader->blocks) return none;
    size_t total = most < reader->blocks ? most : reader->blocks;
    const uint32_t *starts = own->scratch->starts;
    kf_jpeg_intervals intervals = {NULL, starts, count, reader->interval_blocks, each, total};
    kf_jpeg_parts found = decode_intervals(own, &intervals);
    if (!found.count) return none;
    carry(own, total, starts[count]);
    reader->interval_blocks = reader->blocks < each ? reader->blocks : each;
    return found;
}

/// Decodes a part of an interval that does not end in the section.
static kf_jpeg_parts read_part(const reading *own) {
    kf_jpeg_reader *reader = own->reader;
    kf_jpeg_range range = {reader->bit, own->section->length * 8, reader->interval_blocks};
    kf_jpeg_parts found = decode(own, range, false);
    size_t total = 0;
    for (int i = 0; i < found.count; i++) total += found.parts[i].count;
    if (!total || total > own->section->room) return (kf_jpeg_parts){0};
    const kf_jpeg_part *last = &found.parts[found.count - 1];
    carry(own, total, kf_jpeg_end(last->blocks[last->count - 1]));
    reader->interval_blocks -= total;
    return found;
}

/// Writes the DC coefficients and starts of the blocks to the section, where the blocks may be already. False
/// if a coefficient is out of range.
static bool resolve(const reading *own, const kf_jpeg_parts *found) {
    kf_jpeg_reader *reader = own->reader;
    const uint32_t *restart = own->scratch->starts + (reader->until_restart > 0);
    kf_jpeg_block *target = own->section->blocks;
    for (int i = 0; i < found->count; i++) {
        kf_jpeg_part part = found->parts[i];
        uint32_t start = part.start;
        for (const kf_jpeg_block *block = part.blocks, *end = block + part.count; block < end;) {
            if (own->scan->restart_interval && !reader->until_restart--) {
                reader->until_restart = own->scan->restart_interval - 1;
                memset(reader->dc, 0, sizeof reader->dc);
                start = *restart++;
            }
            for (size_t j = 0; j < own->mcu_blocks; j++, block++) {
                int32_t *dc = &reader->dc[own->mcu.components[j]];
                *dc += kf_jpeg_difference(*block);
                if (*dc != (int16_t)*dc) return false;
                uint32_t next = kf_jpeg_end(*block);
                *target++ = (kf_jpeg_block){(uint32_t)*dc, start};
                start = next;
            }
        }
    }
    own->section->count = (size_t)(target - own->section->blocks);
    return true;
}

/// Whether the scan ends where its last block does, or continues if there are more.
static bool ends_in_time(const kf_jpeg_scan *scan, const kf_jpeg_reader *reader, bool is_end) {
    if (!is_end) return reader->blocks > 0;
    const uint8_t *end = scan->source + reader->offset;
    return !reader->blocks && scan->source_count - reader->offset >= 2 && end[0] == 0xff && end[1] == 0xd9;
}

_Bool kf_jpeg_read_section(
    const kf_jpeg_scan *scan, int32_t streams, kf_jpeg_reader *reader, const kf_jpeg_scratch *scratch,
    kf_jpeg_section *section) {
    reading own = {scan, kf_jpeg_make_mcu(scan), 0, streams, reader, scratch, section};
    own.mcu_blocks = blocks_of_mcu(&own.mcu);
    kf_jpeg_unstuffed added = fill(&own);
    size_t count = added.restarts + added.is_end;
    kf_jpeg_parts found = count ? read_intervals(&own, count) : read_part(&own);
    return found.count && (!count || ends_in_time(scan, reader, added.is_end)) && resolve(&own, &found);
}
