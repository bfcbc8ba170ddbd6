#include "jpeg_bits.h"

// A scan is cut into as many parts as there are streams, and all are decoded in turns, because the latency of
// one lookup hides that of the others. A stream that starts inside the scan decodes garbage at first. Huffman
// codes synchronize themselves, so that after some thousand bits it finds the true MCUs. It records where its
// first MCUs begin; the stream before it runs on until one of its own MCUs begins at a recorded place. From
// there both would decode the same, so the parts joined there are what one stream alone would give.

enum {
    /// How many MCU starts a stream records at most, and the number of bits after which it stops recording.
    RECORDS = 1024,
    RECORDED_BITS = 1 << 15,
    /// The last bits are decoded block by block.
    LAST_BITS = 2048,
};

typedef struct {
    uint64_t position;
    /// Where the blocks of the current MCU go.
    kf_jpeg_block *out;
    const kf_jpeg_block *out_end;
    uint32_t word;
    /// The position after the last code that is invalid, or that leads beyond the end of a block; 0 for none.
    uint64_t fault;
} stream;

/// The tables by slot: twice the block in the MCU, and 1 for AC. Those of the first blocks follow the last
/// ones.
typedef struct {
    const uint32_t *skip[2 * KF_JPEG_MCU_BLOCKS + 8];
    const kf_jpeg_code *code[2 * KF_JPEG_MCU_BLOCKS + 8];
    uint32_t slots;
    /// Whether all blocks have the same codes, so that an MCU may be taken to begin with any.
    bool is_uniform;
    const uint8_t *data;
} slots;

typedef struct {
    uint64_t window;
    uint32_t word;
    bool is_fault;
} exact_step;

/// Decodes one symbol for which the skip table has no entry. `word` is that before the lookup.
static __attribute__((noinline)) exact_step decode_exactly(const slots *s, uint64_t position, uint32_t word) {
    uint32_t slot = word >> KF_JPEG_SLOT_SHIFT, used = word & 127, index = word >> 7 & 63;
    uint64_t window = kf_jpeg_window(s->data, position + used);
    kf_jpeg_symbol symbol = kf_jpeg_next(s->code[slot], window);
    bool is_dc = !(slot & 1), ends = false, is_fault = !symbol.length;
    int difference = 0, size = is_dc ? symbol.value : symbol.value & 15;
    if (is_dc) {
        is_fault |= size > KF_JPEG_DIFFERENCE_SIZE;
        if (is_fault) size = 0;
        if (size) difference = kf_jpeg_extend((uint32_t)(window << symbol.length >> (64 - size)), size);
        index = 1;
    } else {
        int run = symbol.value >> 4;
        ends = !size && run != 15;
        if (!ends) index += (uint32_t)run + 1;
        is_fault |= index > 64;
        ends |= index >= 64;
    }
    // A stream with a fault must advance, too.
    used += symbol.length ? (uint32_t)(symbol.length + size) : 1;
    word &= ~(uint32_t)(127 | 63 << 7);
    word += ((uint32_t)difference & 0xfff) << KF_JPEG_DIFFERENCE_SHIFT;
    word += (uint32_t)(is_dc + ends) << KF_JPEG_SLOT_SHIFT;
    word |= used | (ends ? KF_JPEG_END : index << 7);
    return (exact_step){kf_jpeg_window(s->data, position + used), word, is_fault};
}

/// Moves the position past the bits of the word, and on to the MCU that the slot is in.
static inline void settle(const slots *s, stream *t) {
    t->position += t->word & 127;
    t->word &= ~(uint32_t)127;
    uint32_t mcu = s->slots << KF_JPEG_SLOT_SHIFT;
    bool is_next = t->word >= mcu;
    t->word -= is_next ? mcu : 0;
    t->out += is_next ? s->slots / 2 : 0;
}

/// One lookup.
KF_INLINE uint64_t advance(const slots *s, stream *t, uint64_t window) {
    uint32_t slot = t->word >> KF_JPEG_SLOT_SHIFT;
    uint32_t entry = s->skip[slot][window >> (64 - KF_JPEG_INDEX_BITS)];
    t->word += entry;
    if (__builtin_expect(t->word & KF_JPEG_EXCEPTION, 0)) {
        exact_step exact = decode_exactly(s, t->position, t->word - entry);
        window = exact.window;
        t->word = exact.word;
        if (exact.is_fault) t->fault = t->position + (exact.word & 127);
    } else {
        window <<= entry & 63;
    }
    // Until the block ends this is written again and again, without a branch that depends on it.
    t->out[slot >> 1] = (kf_jpeg_block){t->word, (uint32_t)t->position};
    // The next block starts without coefficient, difference and end.
    uint32_t kept = t->word & (0xf8000000u | 127);
    t->word = t->word & KF_JPEG_END ? kept : t->word;
    return window;
}

static inline bool is_running(const stream *t, uint64_t limit) {
    return t->position < limit && t->out < t->out_end;
}

/// Whether the stream is between two MCUs. `settle` must come before.
static inline bool is_at_mcu(const slots *s, const stream *t) {
    uint32_t slot = t->word >> KF_JPEG_SLOT_SHIFT, index = t->word >> 7 & 63;
    return !index && !(s->is_uniform ? slot & 1 : slot);
}

static void step(const slots *s, stream *t) {
    stream copy = *t;
    advance(s, &copy, kf_jpeg_window(s->data, copy.position));
    settle(s, &copy);
    *t = copy;
}

static __attribute__((noinline)) void run_one(const slots *s, stream *t, uint64_t limit) {
    stream a = *t;
    while (is_running(&a, limit)) {
        uint64_t window = kf_jpeg_window(s->data, a.position);
        window = advance(s, &a, window);
        window = advance(s, &a, window);
        advance(s, &a, window);
        settle(s, &a);
    }
    *t = a;
}

/// Runs four streams until one of them reaches its limit.
static __attribute__((noinline)) void run_four(const slots *s, stream t[4], const uint64_t limits[4]) {
    stream a = t[0], b = t[1], c = t[2], d = t[3];
    while (is_running(&a, limits[0]) && is_running(&b, limits[1]) && is_running(&c, limits[2])
        && is_running(&d, limits[3])) {
        uint64_t wa = kf_jpeg_window(s->data, a.position), wb = kf_jpeg_window(s->data, b.position);
        uint64_t wc = kf_jpeg_window(s->data, c.position), wd = kf_jpeg_window(s->data, d.position);
#pragma GCC unroll 3
        for (int i = 0; i < 3; i++) {
            wa = advance(s, &a, wa);
            wb = advance(s, &b, wb);
            wc = advance(s, &c, wc);
            wd = advance(s, &d, wd);
        }
        settle(s, &a), settle(s, &b), settle(s, &c), settle(s, &d);
    }
    t[0] = a, t[1] = b, t[2] = c, t[3] = d;
}

/// Blocks that the stream has completed.
static size_t completed(const stream *t, const kf_jpeg_block *room) {
    return (size_t)(t->out - room) + (t->word >> (KF_JPEG_SLOT_SHIFT + 1));
}

/// Where MCUs of a stream begin, and how many blocks it had completed there.
typedef struct {
    uint32_t positions[RECORDS];
    uint32_t blocks[RECORDS];
    int count;
} record;

static void record_starts(
    const slots *s, stream *t, const kf_jpeg_block *room, uint64_t last, record *record) {
    uint64_t end = t->position + RECORDED_BITS;
    while (record->count < RECORDS && is_running(t, end < last ? end : last)) {
        if (is_at_mcu(s, t)) {
            record->positions[record->count] = (uint32_t)t->position;
            record->blocks[record->count++] = (uint32_t)completed(t, room);
        }
        step(s, t);
    }
}

/// Runs the stream until an MCU of it begins where one in the record does. Returns the index, or -1.
static int meet(const slots *s, stream *t, uint64_t limit, const record *record) {
    for (int index = 0; is_running(t, limit); step(s, t)) {
        if (!is_at_mcu(s, t)) continue;
        while (index < record->count && record->positions[index] < t->position) index++;
        if (index == record->count) return -1;
        if (record->positions[index] == t->position) return index;
    }
    return -1;
}

static slots make_slots(const kf_jpeg_mcu *mcu, const uint8_t *data) {
    slots s = {.slots = 2 * (uint32_t)mcu->blocks, .is_uniform = mcu->is_uniform, .data = data};
    for (uint32_t slot = 0; slot < s.slots + 8; slot++) {
        const kf_jpeg_codes *codes = mcu->codes[slot % s.slots / 2];
        s.code[slot] = slot & 1 ? &codes->ac : &codes->dc;
        s.skip[slot] = s.code[slot]->skip;
    }
    return s;
}

/// Decodes the last blocks with one lookup at a time, so that nothing behind the last block is decoded. False
/// unless they end with the data.
static bool finish(const slots *s, stream *t, const kf_jpeg_block *room, size_t count, uint64_t end) {
    // A stream with many blocks of garbage before its first valid one may not have room for the rest.
    while (completed(t, room) < count && is_running(t, end)) step(s, t);
    return completed(t, room) == count && is_at_mcu(s, t) && t->position <= end && end - t->position < 8;
}

/// Where the streams wrote, how many blocks there must be, and where the data end.
typedef struct {
    kf_jpeg_block *const *room;
    size_t count;
    uint64_t last;
    uint64_t end;
} blocks_at;

/// Joins the streams to parts that follow each other. Returns the number of parts, or 0 if
/// there are not exactly `count` valid blocks.
static int join(
    const slots *s, stream *t, const uint64_t *limits, const record *records, int streams, blocks_at blocks,
    kf_jpeg_part *parts) {
    size_t total = 0, first = 0;
    uint64_t start = 0;
    for (int i = 0, found = 0; i < streams;) {
        int next = i + 1, index = -1;
        // A stream that is not met was still out of step; its part is decoded by this one.
        for (; next < streams; next++) {
            run_one(s, &t[i], limits[next - 1]);
            index = meet(s, &t[i], blocks.last, &records[next]);
            if (index >= 0) break;
        }
        const kf_jpeg_block *room = blocks.room[i];
        if (next == streams) {
            run_one(s, &t[i], blocks.last);
            if (blocks.count < total) return 0;
            if (!finish(s, &t[i], room, first + blocks.count - total, blocks.end)) return 0;
        }
        if (t[i].fault > start) return 0;
        size_t done = completed(&t[i], room);
        parts[found++] = (kf_jpeg_part){room + first, done - first, (uint32_t)start};
        if (next == streams) return found;
        total += done - first;
        start = records[next].positions[index];
        first = records[next].blocks[index];
        i = next;
    }
    return 0;
}

int kf_jpeg_decode_blocks(
    const kf_jpeg_mcu *mcu, const kf_jpeg_scan *scan, size_t count, int streams, const kf_jpeg_scratch *scratch,
    kf_jpeg_part parts[KF_JPEG_STREAMS]) {
    slots s = make_slots(mcu, scan->data);
    kf_jpeg_block *const *room = scratch->streams;
    uint64_t share = scan->length / (uint64_t)streams * 8, end = (uint64_t)scan->length * 8;
    // The last blocks are decoded with one lookup at a time.
    uint64_t last = end > LAST_BITS ? end - LAST_BITS : 0;
    stream t[KF_JPEG_STREAMS];
    uint64_t limits[KF_JPEG_STREAMS];
    record records[KF_JPEG_STREAMS];
    for (int i = 0; i < streams; i++) {
        uint64_t start = share * (uint64_t)i;
        t[i] = (stream){.position = start, .out = room[i], .out_end = room[i] + count + 1};
        limits[i] = i + 1 < streams && start + share < last ? start + share : last;
        records[i].count = 0;
        if (i) record_starts(&s, &t[i], room[i], last, &records[i]);
    }
    if (streams == KF_JPEG_STREAMS) run_four(&s, t, limits);
    for (int i = 0; i < streams; i++) run_one(&s, &t[i], limits[i]);
    return join(&s, t, limits, records, streams, (blocks_at){room, count, last, end}, parts);
}

/// An interval that a stream decodes.
typedef struct interval {
    stream stream;
    /// Blocks up to the end of the interval, and where they go.
    size_t count;
    kf_jpeg_block *target;
    uint64_t end;
} interval;

/// The intervals of a scan: how many, and blocks of each but the last and of all.
typedef struct {
    const kf_jpeg_scan *scan;
    kf_jpeg_block *blocks;
    size_t count;
    size_t each;
    size_t total;
} intervals;

static interval start_interval(const intervals *all, size_t number, kf_jpeg_block *room) {
    size_t first = number * all->each, left = all->total - first, count = left < all->each ? left : all->each;
    uint64_t start = number ? all->scan->restarts[number - 1] : 0;
    uint64_t end = number + 1 == all->count ? all->scan->length : all->scan->restarts[number];
    return (interval){
        {.position = start * 8, .out = room, .out_end = room + count + 1}, count, all->blocks + first, end * 8};
}

static uint64_t limit(const interval *interval) {
    return interval->end > LAST_BITS ? interval->end - LAST_BITS : 0;
}

/// Decodes the rest of the interval. False if it is not certainly valid.
static bool end_interval(const slots *s, interval *interval, const kf_jpeg_block *room) {
    run_one(s, &interval->stream, limit(interval));
    if (!finish(s, &interval->stream, room, interval->count, interval->end)) return false;
    if (interval->stream.fault) return false;
    memcpy(interval->target, room, interval->count * sizeof *room);
    return true;
}

/// Decodes intervals by four streams until none is left to start. `next` is the first that was not. False if
/// one is not certainly valid.
static bool run_intervals(const slots *s, const intervals *all, kf_jpeg_block *const *room, size_t *next) {
    interval active[KF_JPEG_STREAMS];
    bool has_ended[KF_JPEG_STREAMS] = {false};
    for (int i = 0; i < KF_JPEG_STREAMS; i++) active[i] = start_interval(all, (*next)++, room[i]);
    for (bool is_over = false; !is_over;) {
        stream streams[KF_JPEG_STREAMS];
        uint64_t limits[KF_JPEG_STREAMS];
        for (int i = 0; i < KF_JPEG_STREAMS; i++) {
            streams[i] = active[i].stream;
            limits[i] = limit(&active[i]);
        }
        run_four(s, streams, limits);
        for (int i = 0; i < KF_JPEG_STREAMS; i++) {
            active[i].stream = streams[i];
            if (is_running(&streams[i], limits[i])) continue;
            if (!end_interval(s, &active[i], room[i])) return false;
            has_ended[i] = is_over = *next == all->count;
            if (is_over) break;
            active[i] = start_interval(all, (*next)++, room[i]);
        }
    }
    for (int i = 0; i < KF_JPEG_STREAMS; i++) {
        if (!has_ended[i] && !end_interval(s, &active[i], room[i])) return false;
    }
    return true;
}

bool kf_jpeg_decode_intervals(
    const kf_jpeg_mcu *mcu, const kf_jpeg_scan *scan, size_t count, size_t interval, int streams,
    const kf_jpeg_scratch *scratch) {
    slots s = make_slots(mcu, scan->data);
    intervals all = {scan, scratch->blocks, (count + interval - 1) / interval, interval, count};
    size_t next = 0;
    if (streams == KF_JPEG_STREAMS && all.count >= KF_JPEG_STREAMS) {
        if (!run_intervals(&s, &all, scratch->streams, &next)) return false;
    }
    while (next < all.count) {
        struct interval single = start_interval(&all, next++, scratch->streams[0]);
        if (!end_interval(&s, &single, scratch->streams[0])) return false;
    }
    return true;
}
