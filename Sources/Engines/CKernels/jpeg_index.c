#include "jpeg_bits.h"

// An index of a scan says where every so many MCUs begin, so that some of them can be decoded without those
// before (docs/decisions/106). It is made of sections while these are drawn. Entries are places in the file,
// because the bytes of sections are gone when a part is decoded.

/// The place in the source of the data byte that has `bytes` others before it from `at` on.
static size_t walk(const kf_jpeg_scan *scan, size_t at, size_t bytes) {
    const uint8_t *source = scan->source;
    const size_t end = scan->source_count;
    while (at < end) {
        const size_t most = bytes < end - at ? bytes : end - at;
        const uint8_t *mark = most ? memchr(source + at, 0xff, most) : NULL;
        const size_t plain = mark ? (size_t)(mark - source) - at : most;
        at += plain, bytes -= plain;
        if (at + 1 >= end || source[at] != 0xff) {
            if (!bytes || at + 1 >= end) return at;
            continue;
        }
        const uint8_t code = source[at + 1];
        if (code == 0) {
            if (!bytes) return at;
            at += 2, bytes--;
        } else if (code == 0xff) {
            at++;
        } else if ((code & 0xf8) == 0xd0) {
            at += 2;
        } else {
            return at;
        }
    }
    return end;
}

static size_t blocks_of_mcu(const kf_jpeg_mcu *mcu) { return mcu->is_uniform ? 1 : (size_t)mcu->blocks; }

/// Whether there is a restart before the MCU, or nothing.
static bool is_restart(const kf_jpeg_scan *scan, uint64_t mcu) {
    return !mcu || (scan->restart_interval && mcu % scan->restart_interval == 0);
}

/// The DC coefficients after an MCU.
static void take_dc(const kf_jpeg_mcu *mcu, const kf_jpeg_block *blocks, int16_t dc[3]) {
    for (size_t i = 0; i < blocks_of_mcu(mcu); i++) dc[mcu->components[i]] = (int16_t)(int32_t)blocks[i].value;
}

void kf_jpeg_index_section(
    const kf_jpeg_scan *scan, const kf_jpeg_section *section, uint32_t step, kf_jpeg_indexer *indexer,
    kf_jpeg_entry *entries) {
    const kf_jpeg_mcu mcu = kf_jpeg_make_mcu(scan);
    const size_t each = blocks_of_mcu(&mcu), count = section->count / each;
    const uint32_t groups = (scan->columns + step - 1) / step;
    size_t offset = indexer->offset, walked = 0;
    for (size_t i = 0; i < count;) {
        const uint64_t number = indexer->mcu + i, row = number / scan->columns;
        const uint32_t column = (uint32_t)(number % scan->columns), next = column - column % step + step;
        if (column % step == 0) {
            const uint32_t position = section->blocks[i * each].position;
            offset = walk(scan, offset, position / 8 - walked);
            walked = position / 8;
            kf_jpeg_entry *entry = &entries[row * groups + column / step];
            *entry = (kf_jpeg_entry){(uint64_t)offset * 8 + (position & 7), {0}};
            if (i) take_dc(&mcu, section->blocks + (i - 1) * each, indexer->dc);
            if (!is_restart(scan, number)) memcpy(entry->dc, indexer->dc, sizeof entry->dc);
        }
        i += (next < scan->columns ? next : scan->columns) - column;
    }
    if (count) take_dc(&mcu, section->blocks + (count - 1) * each, indexer->dc);
    indexer->offset = walk(scan, offset, section->consumed - walked);
    indexer->mcu += count;
    kf_jpeg_entry end = {(uint64_t)indexer->offset * 8, {0}};
    memcpy(end.dc, indexer->dc, sizeof end.dc);
    if (indexer->mcu == (uint64_t)scan->columns * scan->rows) entries[scan->rows * (size_t)groups] = end;
}

/// What a call reads.
typedef struct {
    const kf_jpeg_scan *scan;
    kf_jpeg_mcu mcu;
    size_t each;
    const kf_jpeg_scratch *scratch;
    kf_jpeg_section *section;
    /// Ranges between restarts of all spans.
    kf_jpeg_range *ranges;
    size_t range_count;
    size_t blocks;
} reading;

static bool add_range(reading *own, uint64_t start, uint64_t end, uint64_t mcus) {
    const size_t blocks = (size_t)mcus * own->each;
    if (end < start || blocks > own->section->room - own->blocks || own->range_count == own->scratch->range_room)
        return false;
    own->blocks += blocks;
    own->ranges[own->range_count++] = (kf_jpeg_range){start, end, blocks};
    return true;
}

/// Appends the bytes of a span to the section, and its ranges.
static bool add_span(reading *own, const kf_jpeg_span *span) {
    const kf_jpeg_scan *scan = own->scan;
    kf_jpeg_section *section = own->section;
    const size_t from = (size_t)(span->from->position / 8), to = (size_t)(span->to->position / 8);
    const uint32_t interval = scan->restart_interval, last_bits = span->to->position & 7;
    if (from > to || to >= scan->source_count) return false;
    const uint32_t number = interval ? (uint32_t)(span->mcu / interval & 7) : 0;
    const size_t start = section->length;
    kf_jpeg_unstuffed added = kf_jpeg_unstuff(
        scan->source + from, to - from, section->data + start, section->capacity - start, number,
        own->scratch->starts, own->scratch->maximum_restarts);
    if (added.read != to - from || section->capacity - start - added.written < 1) return false;
    section->length += added.written;
    // The bits of a byte that belong to the MCUs after it also follow.
    if (last_bits) section->data[section->length++] = scan->source[to];
    const uint64_t end = ((uint64_t)start + added.written) * 8 + last_bits;
    uint64_t position = (uint64_t)start * 8 + (span->from->position & 7), mcu = span->mcu;
    const uint64_t mcu_end = span->mcu + span->count;
    for (size_t i = 0; mcu < mcu_end; i++) {
        const uint64_t next = interval ? (mcu / interval + 1) * interval : mcu_end;
        const bool has_restart = interval && next <= mcu_end && i < added.restarts;
        if (next < mcu_end && !has_restart) return false;
        const uint64_t restart = has_restart ? ((uint64_t)start + own->scratch->starts[i]) * 8 : end;
        if (!add_range(own, position, restart, (next < mcu_end ? next : mcu_end) - mcu)) return false;
        position = restart;
        mcu = next;
    }
    return true;
}

/// Writes the DC coefficients and starts of the wanted blocks of a span over those of all. False if the span
/// does not end with the coefficients that the index has.
static bool resolve(
    const reading *own, const kf_jpeg_span *span, const kf_jpeg_block **source, const kf_jpeg_range **range,
    kf_jpeg_block **target) {
    int32_t dc[3] = {span->from->dc[0], span->from->dc[1], span->from->dc[2]};
    uint32_t start = 0;
    for (uint32_t i = 0; i < span->count; i++) {
        const bool is_new = is_restart(own->scan, span->mcu + i);
        if (is_new) memset(dc, 0, sizeof dc);
        if (is_new || !i) start = (uint32_t)(*range)++->start;
        const bool is_wanted = i >= span->first && i - span->first < span->wanted;
        for (size_t j = 0; j < own->each; j++, (*source)++) {
            int32_t *value = &dc[own->mcu.components[j]];
            *value += kf_jpeg_difference(**source);
            if (*value != (int16_t)*value) return false;
            const uint32_t next = kf_jpeg_end(**source);
            if (is_wanted) *(*target)++ = (kf_jpeg_block){(uint32_t)*value, start};
            start = next;
        }
    }
    if (is_restart(own->scan, span->mcu + span->count)) return true;
    for (int i = 0; i < own->scan->count; i++) {
        if (dc[i] != span->to->dc[i]) return false;
    }
    return true;
}

_Bool kf_jpeg_read_spans(
    const kf_jpeg_scan *scan, const kf_jpeg_span *spans, size_t count, const kf_jpeg_scratch *scratch,
    kf_jpeg_section *section) {
    reading own = {.scan = scan, .mcu = kf_jpeg_make_mcu(scan), .scratch = scratch, .section = section};
    own.each = blocks_of_mcu(&own.mcu);
    own.ranges = scratch->ranges;
    section->length = section->count = section->consumed = 0;
    for (size_t i = 0; i < count; i++) {
        if (!add_span(&own, &spans[i])) return false;
    }
    memset(section->data + section->length, 0, KF_JPEG_PADDING);
    kf_jpeg_intervals intervals = {.ranges = own.ranges, .count = own.range_count, .total = own.blocks};
    if (!kf_jpeg_decode_intervals(&own.mcu, section, scratch, &intervals, KF_JPEG_STREAMS)) return false;
    const kf_jpeg_block *source = section->blocks;
    const kf_jpeg_range *range = own.ranges;
    kf_jpeg_block *target = section->blocks;
    for (size_t i = 0; i < count; i++) {
        if (!resolve(&own, &spans[i], &source, &range, &target)) return false;
    }
    section->count = (size_t)(target - section->blocks);
    return true;
}
