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

/// Puts the carried bytes and those that follow into the section.
static kf_jpeg_unstuffed fill(const kf_jpeg_scan *scan, kf_jpeg_reader *reader, kf_jpeg_section *section) {
    size_t carried = reader->carried_count;
    if (carried) memmove(section->data, reader->carried, carried);
    kf_jpeg_unstuffed added = kf_jpeg_unstuff(
        scan->source + reader->offset, scan->source_count - reader->offset, section->data + carried,
        section->capacity - carried, reader->restarts, section->starts + 1, section->maximum_restarts);
    reader->offset += added.read;
    reader->restarts += (uint32_t)added.restarts;
    section->length = carried + added.written;
    memset(section->data + section->length, 0, KF_JPEG_PADDING);
    section->starts[0] = reader->bit;
    for (size_t i = 1; i <= added.restarts; i++) section->starts[i] = (section->starts[i] + (uint32_t)carried) * 8;
    section->starts[added.restarts + 1] = (uint32_t)section->length * 8;
    return added;
}

/// Decodes intervals one after the other to `joined`. False if one is not certainly valid.
static bool join_intervals(
    const kf_jpeg_mcu *mcu, const kf_jpeg_intervals *intervals, int streams, kf_jpeg_section *section) {
    kf_jpeg_block *target = section->joined;
    for (size_t i = 0; i < intervals->count; i++) {
        kf_jpeg_part parts[KF_JPEG_STREAMS];
        int count = kf_jpeg_decode_range(mcu, section, kf_jpeg_interval(intervals, i), true, streams, parts);
        if (!count) return false;
        for (int j = 0; j < count; target += parts[j++].count) {
            memcpy(target, parts[j].blocks, parts[j].count * sizeof *target);
        }
    }
    return true;
}

/// Decodes the intervals to parts. False if one is not certainly valid.
static bool decode_intervals(
    const kf_jpeg_mcu *mcu, const kf_jpeg_intervals *intervals, int streams, kf_jpeg_section *section) {
    // Valid data cannot have more blocks than there is room for.
    if (intervals->total > section->room) return false;
    if (intervals->count == 1) {
        kf_jpeg_range range = kf_jpeg_interval(intervals, 0);
        section->part_count = kf_jpeg_decode_range(mcu, section, range, true, streams, section->parts);
        return section->part_count;
    }
    bool is_valid = intervals->count < KF_JPEG_STREAMS
        ? join_intervals(mcu, intervals, streams, section)
        : kf_jpeg_decode_intervals(mcu, section, intervals, streams);
    section->parts[0] = (kf_jpeg_part){section->joined, intervals->total, intervals->starts[0]};
    section->part_count = 1;
    return is_valid;
}

static void carry(kf_jpeg_reader *reader, const kf_jpeg_section *section, uint64_t position) {
    reader->carried = section->data + position / 8;
    reader->carried_count = section->length - position / 8;
    reader->bit = position & 7;
}

/// Decodes all intervals that end in the section.
static bool read_intervals(
    const kf_jpeg_mcu *mcu, size_t each, size_t count, int streams, kf_jpeg_reader *reader,
    kf_jpeg_section *section) {
    size_t most = reader->interval_blocks + (count - 1) * each;
    // There must be blocks for the last interval.
    if (count > 1 && most - each >= reader->blocks) return false;
    size_t total = most < reader->blocks ? most : reader->blocks;
    kf_jpeg_intervals intervals = {section->starts, count, reader->interval_blocks, each, total};
    if (!decode_intervals(mcu, &intervals, streams, section)) return false;
    reader->blocks -= total;
    reader->interval_blocks = reader->blocks < each ? reader->blocks : each;
    carry(reader, section, section->starts[count]);
    return true;
}

/// Decodes a part of an interval that does not end in the section.
static bool read_part(const kf_jpeg_mcu *mcu, int streams, kf_jpeg_reader *reader, kf_jpeg_section *section) {
    kf_jpeg_range range = {reader->bit, section->length * 8, reader->interval_blocks};
    section->part_count = kf_jpeg_decode_range(mcu, section, range, false, streams, section->parts);
    size_t total = 0;
    for (int i = 0; i < section->part_count; i++) total += section->parts[i].count;
    if (!total) return false;
    const kf_jpeg_part *last = &section->parts[section->part_count - 1];
    reader->blocks -= total;
    reader->interval_blocks -= total;
    carry(reader, section, kf_jpeg_end(last->blocks[last->count - 1]));
    return true;
}

/// Replaces what streams have found of blocks by their DC coefficients and starts. False if a coefficient is
/// out of range.
static bool resolve(
    const kf_jpeg_scan *scan, const kf_jpeg_mcu *mcu, kf_jpeg_reader *reader, kf_jpeg_section *section) {
    const uint32_t *restart = section->starts + (reader->until_restart > 0);
    size_t in_mcu = blocks_of_mcu(mcu);
    for (int i = 0; i < section->part_count; i++) {
        kf_jpeg_part part = section->parts[i];
        uint32_t start = part.start;
        for (kf_jpeg_block *block = part.blocks, *end = block + part.count; block < end;) {
            if (scan->restart_interval && !reader->until_restart--) {
                reader->until_restart = scan->restart_interval - 1;
                memset(reader->dc, 0, sizeof reader->dc);
                start = *restart++;
            }
            for (size_t j = 0; j < in_mcu; j++, block++) {
                int32_t *dc = &reader->dc[mcu->components[j]];
                *dc += kf_jpeg_difference(*block);
                if (*dc != (int16_t)*dc) return false;
                uint32_t next = kf_jpeg_end(*block);
                *block = (kf_jpeg_block){(uint32_t)*dc, start};
                start = next;
            }
        }
    }
    return true;
}

/// Whether the scan ends where its last block does, or continues if there are more.
static bool ends_in_time(const kf_jpeg_scan *scan, const kf_jpeg_reader *reader, bool is_end) {
    if (!is_end) return reader->blocks > 0;
    const uint8_t *end = scan->source + reader->offset;
    return !reader->blocks && scan->source_count - reader->offset >= 2 && end[0] == 0xff && end[1] == 0xd9;
}

_Bool kf_jpeg_read_section(
    const kf_jpeg_scan *scan, int32_t streams, kf_jpeg_reader *reader, kf_jpeg_section *section) {
    kf_jpeg_mcu mcu = kf_jpeg_make_mcu(scan);
    size_t each = scan->restart_interval * blocks_of_mcu(&mcu);
    section->part_count = 0;
    kf_jpeg_unstuffed added = fill(scan, reader, section);
    size_t count = added.restarts + added.is_end;
    if (count) {
        if (!read_intervals(&mcu, each, count, streams, reader, section)) return false;
        if (!ends_in_time(scan, reader, added.is_end)) return false;
    } else if (!read_part(&mcu, streams, reader, section)) {
        return false;
    }
    return resolve(scan, &mcu, reader, section);
}
