#include "jpeg_bits.h"

// The bits of a section are cut into as many shares as there are streams, and all are decoded in turns,
// because the latency of one lookup hides the latency of the others. A stream that starts inside the scan
// decodes garbage at first. Huffman codes synchronize themselves, so that after some thousand bits it finds
// the true MCUs. The stream before it runs on until one of its own MCUs begins where one of this stream does.
// From there both would decode the same, so the blocks joined there are what one stream alone would give.

enum {
    /// The last bits of a range are decoded with one lookup at a time, so that nothing behind it is decoded.
    LAST_BITS = 128,
    /// The bits of an MCU at most: ten blocks of a DC coefficient of 27 and 63 AC coefficients of 31 bits.
    MCU_BITS = 20480,
    /// How far a stream runs on before it looks for an MCU of the next stream.
    MEETING_BITS = 4096,
    /// Shorter ranges are decoded by one stream.
    MINIMUM_RANGE = 1 << 17,
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

/// The tables by slot: twice the block in the MCU, and 1 for AC. The tables of the first blocks follow the
/// last ones.
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
    // A stream with a fault must also advance.
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

static slots make_slots(const kf_jpeg_mcu *mcu, const uint8_t *data) {
    slots s = {.slots = 2 * (uint32_t)mcu->blocks, .is_uniform = mcu->is_uniform, .data = data};
    for (uint32_t slot = 0; slot < s.slots + 8; slot++) {
        const kf_jpeg_codes *codes = mcu->codes[slot % s.slots / 2];
        s.code[slot] = slot & 1 ? &codes->ac : &codes->dc;
        s.skip[slot] = s.code[slot]->skip;
    }
    return s;
}

static stream make_stream(uint64_t start, kf_jpeg_block *out, size_t room) {
    return (stream){.position = start, .out = out, .out_end = out + room};
}

/// Blocks that the stream has completed.
static size_t completed(const stream *t, const kf_jpeg_block *out) {
    return (size_t)(t->out - out) + (t->word >> (KF_JPEG_SLOT_SHIFT + 1));
}

/// Decodes up to the end of `count` blocks. False unless they end with the data.
static bool finish(const slots *s, stream *t, const kf_jpeg_block *out, size_t count, uint64_t end) {
    run_one(s, t, end > LAST_BITS ? end - LAST_BITS : 0);
    // Valid data have no more blocks than there is room for.
    while (completed(t, out) < count && is_running(t, end)) step(s, t);
    return completed(t, out) == count && is_at_mcu(s, t) && t->position <= end && end - t->position < 8;
}

/// Decodes up to an MCU that is the last one certainly before the end of the data. False if there is none.
static bool run_to_mcu(const slots *s, stream *t, uint64_t end) {
    run_one(s, t, end > MCU_BITS ? end - MCU_BITS : 0);
    while (!is_at_mcu(s, t) && is_running(t, end)) step(s, t);
    return is_at_mcu(s, t) && t->position <= end;
}

/// A stream that decodes a share of a range.
typedef struct {
    stream stream;
    const kf_jpeg_block *blocks;
    uint64_t start;
    /// Where the next share starts, or the end of the range.
    uint64_t end;
} share;

/// Where the MCU begins that has `index` blocks of the share before it.
static uint64_t start_of(const share *share, size_t index) {
    return index ? kf_jpeg_end(share->blocks[index - 1]) : share->start;
}

typedef struct {
    bool is_found;
    /// Blocks of the two shares before the MCU.
    size_t first;
    size_t second;
} meeting;

/// Runs the first stream from the end of its share until one of its MCUs begins where one of the second does.
static meeting meet(const slots *s, share *first, const share *second, uint64_t limit) {
    size_t unit = s->is_uniform ? 1 : s->slots / 2, theirs = 0;
    size_t available = completed(&second->stream, second->blocks);
    size_t own = (completed(&first->stream, first->blocks) + unit - 1) / unit * unit;
    while (is_running(&first->stream, limit)) {
        uint64_t next = first->stream.position + MEETING_BITS;
        run_one(s, &first->stream, next < limit ? next : limit);
        for (size_t done = completed(&first->stream, first->blocks); own <= done; own += unit) {
            uint64_t position = start_of(first, own);
            while (theirs <= available && start_of(second, theirs) < position) theirs += unit;
            if (theirs > available) return (meeting){false, 0, 0};
            if (start_of(second, theirs) == position) return (meeting){true, own, theirs};
        }
    }
    return (meeting){false, 0, 0};
}

/// Joins the shares to parts that follow each other.
static kf_jpeg_parts join(const slots *s, share *shares, int streams, kf_jpeg_range range, bool is_whole) {
    static const kf_jpeg_parts none = {0};
    kf_jpeg_parts parts = {0};
    size_t total = 0, first = 0;
    uint64_t start = range.start, end = range.end, margin = is_whole ? LAST_BITS : MCU_BITS;
    for (int i = 0; i < streams;) {
        share *own = &shares[i];
        meeting met = {false, 0, 0};
        int next = i + 1;
        // A stream that is not met was still out of step; its share is decoded by this one.
        for (; next < streams; next++) {
            run_one(s, &own->stream, shares[next].start);
            met = meet(s, own, &shares[next], end - margin);
            if (met.is_found) break;
        }
        if (!met.is_found) {
            size_t last = first + range.blocks - total;
            bool is_done = is_whole ? finish(s, &own->stream, own->blocks, last, end)
                                    : run_to_mcu(s, &own->stream, end);
            met.first = completed(&own->stream, own->blocks);
            if (!is_done || (!is_whole && met.first >= last)) return none;
        }
        if (own->stream.fault > start || met.first - first > range.blocks - total) return none;
        parts.parts[parts.count++] = (kf_jpeg_part){own->blocks + first, met.first - first, (uint32_t)start};
        if (!met.is_found) return parts;
        total += met.first - first;
        first = met.second;
        start = start_of(&shares[next], first);
        i = next;
    }
    return none;
}

kf_jpeg_parts kf_jpeg_decode_range(
    const kf_jpeg_mcu *mcu, const kf_jpeg_section *section, const kf_jpeg_scratch *scratch, kf_jpeg_range range,
    bool is_whole, int streams) {
    slots s = make_slots(mcu, section->data);
    uint64_t length = range.end - range.start, last = is_whole ? LAST_BITS : MCU_BITS;
    if (length < MINIMUM_RANGE) streams = 1;
    share shares[KF_JPEG_STREAMS];
    for (int i = 0; i < streams; i++) {
        uint64_t start = range.start + length / (uint64_t)streams * (uint64_t)i;
        kf_jpeg_block *out = scratch->streams[i];
        shares[i] = (share){make_stream(start, out, scratch->room), out, start, 0};
        if (i) shares[i - 1].end = start;
    }
    shares[streams - 1].end = range.end > last ? range.end - last : 0;
    if (streams == KF_JPEG_STREAMS) {
        stream t[KF_JPEG_STREAMS];
        uint64_t limits[KF_JPEG_STREAMS];
        for (int i = 0; i < streams; i++) t[i] = shares[i].stream, limits[i] = shares[i].end;
        run_four(&s, t, limits);
        for (int i = 0; i < streams; i++) shares[i].stream = t[i];
    }
    for (int i = 0; i < streams; i++) run_one(&s, &shares[i].stream, shares[i].end);
    return join(&s, shares, streams, range, is_whole);
}

/// An interval between restarts that a stream decodes.
typedef struct {
    stream stream;
    kf_jpeg_range range;
    kf_jpeg_block *target;
} interval;

/// The intervals of a section, and the number of those that have been started.
typedef struct {
    const kf_jpeg_section *section;
    const kf_jpeg_scratch *scratch;
    const kf_jpeg_intervals *intervals;
    size_t next;
    kf_jpeg_block *target;
} queue;

static bool is_empty(const queue *queue) { return queue->next == queue->intervals->count; }

static interval start_next(queue *queue, int stream) {
    kf_jpeg_range range = kf_jpeg_interval(queue->intervals, queue->next++);
    kf_jpeg_block *target = queue->target;
    queue->target += range.blocks;
    kf_jpeg_block *out = queue->scratch->streams[stream];
    return (interval){make_stream(range.start, out, queue->scratch->room), range, target};
}

/// Decodes the rest of the interval. False if it is not certainly valid.
static bool end_interval(const slots *s, interval *interval, const kf_jpeg_block *out) {
    size_t count = interval->range.blocks;
    if (!finish(s, &interval->stream, out, count, interval->range.end) || interval->stream.fault) return false;
    memcpy(interval->target, out, count * sizeof *out);
    return true;
}

/// Decodes intervals by four streams until none is left to start. False if one is not certainly valid.
static bool run_intervals(const slots *s, queue *queue) {
    kf_jpeg_block *const *out = queue->scratch->streams;
    interval active[KF_JPEG_STREAMS];
    bool has_ended[KF_JPEG_STREAMS] = {false};
    for (int i = 0; i < KF_JPEG_STREAMS; i++) active[i] = start_next(queue, i);
    for (bool is_over = false; !is_over;) {
        stream streams[KF_JPEG_STREAMS];
        uint64_t limits[KF_JPEG_STREAMS];
        for (int i = 0; i < KF_JPEG_STREAMS; i++) {
            uint64_t end = active[i].range.end;
            streams[i] = active[i].stream;
            limits[i] = end > LAST_BITS ? end - LAST_BITS : 0;
        }
        run_four(s, streams, limits);
        for (int i = 0; i < KF_JPEG_STREAMS; i++) active[i].stream = streams[i];
        for (int i = 0; i < KF_JPEG_STREAMS; i++) {
            if (is_running(&streams[i], limits[i])) continue;
            if (!end_interval(s, &active[i], out[i])) return false;
            has_ended[i] = is_over = is_empty(queue);
            if (is_over) break;
            active[i] = start_next(queue, i);
        }
    }
    for (int i = 0; i < KF_JPEG_STREAMS; i++) {
        if (!has_ended[i] && !end_interval(s, &active[i], out[i])) return false;
    }
    return true;
}

bool kf_jpeg_decode_intervals(
    const kf_jpeg_mcu *mcu, const kf_jpeg_section *section, const kf_jpeg_scratch *scratch,
    const kf_jpeg_intervals *intervals, int streams) {
    slots s = make_slots(mcu, section->data);
    queue queue = {section, scratch, intervals, 0, section->blocks};
    bool is_interleaved = streams == KF_JPEG_STREAMS && intervals->count >= KF_JPEG_STREAMS;
    if (is_interleaved && !run_intervals(&s, &queue)) return false;
    while (!is_empty(&queue)) {
        interval single = start_next(&queue, 0);
        if (!end_interval(&s, &single, scratch->streams[0])) return false;
    }
    return true;
}
