// JPEG files at full size, an eighth, a quarter or half of it (docs/decisions/059). Included by CKernels.h.
//
// A baseline scan is decoded in sections. `kf_jpeg_read_section` decodes Huffman codes to blocks, and
// `kf_jpeg_draw_row` blocks to pixels; the two may run in two threads, each with a separate section. A
// scan that is not certainly valid is refused, without a reason: the caller lets libjpeg decode it then,
// whose verdict counts. The DC scans of a progressive file are read one after the other.

/// Bits that index a lookup table.
enum { KF_JPEG_INDEX_BITS = 12, KF_JPEG_INDEX_SIZE = 1 << KF_JPEG_INDEX_BITS };
/// Streams that are decoded in turns, and readable bytes that must follow the data of a section.
enum { KF_JPEG_STREAMS = 4, KF_JPEG_PADDING = 320 };
/// Blocks of an MCU at most (ITU-T T.81, B.2.3).
enum { KF_JPEG_MCU_BLOCKS = 10 };
/// Blocks that a stream may write beyond its room.
enum { KF_JPEG_SLACK = 32 };
/// Bytes of a section at least, unless the whole scan has fewer.
enum { KF_JPEG_MINIMUM_SECTION = 1 << 14 };

/// A Huffman code. Tables are indexed by the next 12 bits.
typedef struct {
    /// Several symbols at once, as a sum for the state word of a stream; see jpeg_tables.c.
    uint32_t skip[KF_JPEG_INDEX_SIZE];
    /// One symbol: its length in the high byte, its value in the low one; 0 if the code is longer.
    uint16_t symbol[KF_JPEG_INDEX_SIZE];
    /// For each length of codes: the last one, or -1, and what must be added for the index in `values`.
    int32_t last[17];
    int32_t offset[17];
    uint8_t values[256];
} kf_jpeg_code;

/// The DC and the AC code of a component.
typedef struct {
    kf_jpeg_code dc;
    kf_jpeg_code ac;
    /// One AC symbol with its coefficient: bits in 0...4, coefficients in 8...14 (the zeros before it and
    /// itself, 65 at the end of the block), value in 16...31; 0 if they are longer than the index.
    uint32_t coefficient[KF_JPEG_INDEX_SIZE];
} kf_jpeg_codes;

/// The definition of a code: 16 numbers of codes, by length, and the values of all.
typedef struct {
    const uint8_t *_Nonnull counts;
    const uint8_t *_Nonnull values;
} kf_jpeg_definition;

/// Fills all tables of the code but `skip`. False if the definition does not describe a prefix code. The
/// caller checks that there are at most 256 values.
_Bool kf_jpeg_make_code(kf_jpeg_code *_Nonnull code, kf_jpeg_definition definition);

/// False if a definition does not describe a prefix code. The caller checks that there are at most 256
/// values.
_Bool kf_jpeg_make_codes(kf_jpeg_codes *_Nonnull codes, kf_jpeg_definition dc, kf_jpeg_definition ac);

typedef struct {
    /// Sampling factors, 1 or 2.
    int32_t horizontal;
    int32_t vertical;
    /// Null if only DC coefficients are drawn.
    const kf_jpeg_codes *_Nullable codes;
    /// 64 factors up to 32,767, in the order of rows.
    const uint16_t *_Nonnull quantization;
} kf_jpeg_component;

/// A scan of all components of an image.
typedef struct {
    /// 1, with sampling factors of 1, or 3 of YCbCr, with at most KF_JPEG_MCU_BLOCKS blocks in an MCU.
    const kf_jpeg_component *_Nonnull components;
    int32_t count;
    /// MCUs in a row, rows of them, and MCUs between restarts or 0.
    uint32_t columns;
    uint32_t rows;
    uint32_t restart_interval;
    /// The file from the first entropy-coded byte on.
    const uint8_t *_Nonnull source;
    size_t source_count;
} kf_jpeg_scan;

/// A block. While it is decoded, `value` is a stream's state word at its end, and `position` gives, with the
/// bits in that word, where it ends. In a section that has been read, `value` is the signed DC coefficient,
/// and `position` where the block begins, in bits.
typedef struct {
    uint32_t value;
    uint32_t position;
} kf_jpeg_block;

/// Consecutive bytes of a scan, and the blocks in them.
typedef struct {
    /// Bytes without stuffing and restart markers: room for `capacity` ones and KF_JPEG_PADDING, at most
    /// 2^28.
    uint8_t *_Nonnull data;
    size_t capacity;
    /// Room for the blocks of the scan, or for four for each byte.
    kf_jpeg_block *_Nonnull blocks;
    size_t room;

    /// What reading has found.
    size_t length;
    size_t count;
    /// The bytes before those that are carried to the next section.
    size_t consumed;
} kf_jpeg_section;

/// The bits of consecutive blocks.
typedef struct {
    uint64_t start;
    uint64_t end;
    size_t blocks;
} kf_jpeg_range;

/// Memory that reading a section needs in addition.
typedef struct {
    /// For each stream that is used room for four blocks for each byte of a section, and KF_JPEG_SLACK more.
    kf_jpeg_block *_Nonnull streams[KF_JPEG_STREAMS];
    size_t room;
    /// Where intervals between restarts begin, in bits: room for two more than `maximum_restarts`.
    uint32_t *_Nonnull starts;
    size_t maximum_restarts;
    /// For `kf_jpeg_read_spans` only.
    kf_jpeg_range *_Nullable ranges;
    size_t range_room;
} kf_jpeg_scratch;

/// How much of a scan has been read.
typedef struct {
    /// The next byte of the source.
    size_t offset;
    /// The bytes of the last section that were not decoded, and the first bit in the first of them.
    const uint8_t *_Nullable carried;
    size_t carried_count;
    uint32_t bit;
    uint32_t restarts;
    /// Blocks left in the scan and in the interval between restarts.
    size_t blocks;
    size_t interval_blocks;
    /// The last DC coefficients, and the MCUs whose blocks have them up to the next restart.
    int32_t dc[3];
    uint32_t until_restart;
} kf_jpeg_reader;

kf_jpeg_reader kf_jpeg_start_reading(const kf_jpeg_scan *_Nonnull scan);

/// Reads the next section by `streams` (1 or 4) streams, which find the same blocks. The section before must
/// not have changed yet; it may be the same. False if the scan is not certainly valid. The scan ends when no
/// blocks are left.
_Bool kf_jpeg_read_section(
    const kf_jpeg_scan *_Nonnull scan, int32_t streams, kf_jpeg_reader *_Nonnull reader,
    const kf_jpeg_scratch *_Nonnull scratch, kf_jpeg_section *_Nonnull section);

/// Where an MCU begins in a scan.
typedef struct {
    /// From the first entropy-coded byte of the file on, with stuffing and markers, in bits.
    uint64_t position;
    /// The DC coefficients of the blocks before.
    int16_t dc[3];
} kf_jpeg_entry;

/// The state of indexing between sections. Starts with zeros.
typedef struct {
    /// Where the next section begins in the source.
    size_t offset;
    uint64_t mcu;
    int16_t dc[3];
} kf_jpeg_indexer;

/// Writes the entries of a section that has just been read: one for every `step` MCUs of a row, and one for
/// the end of the scan. `entries` has room for all of the scan.
void kf_jpeg_index_section(
    const kf_jpeg_scan *_Nonnull scan, const kf_jpeg_section *_Nonnull section, uint32_t step,
    kf_jpeg_indexer *_Nonnull indexer, kf_jpeg_entry *_Nonnull entries);

/// Consecutive MCUs of a row, between two entries.
typedef struct {
    const kf_jpeg_entry *_Nonnull from;
    const kf_jpeg_entry *_Nonnull to;
    /// MCUs of the scan before the first one, and the MCUs between the entries.
    uint64_t mcu;
    uint32_t count;
    /// Those that are wanted.
    uint32_t first;
    uint32_t wanted;
} kf_jpeg_span;

/// Reads spans to a section with the blocks of the wanted MCUs. There is room for `scratch->maximum_restarts`
/// restarts in a span. False if the source does not certainly have valid data there.
_Bool kf_jpeg_read_spans(
    const kf_jpeg_scan *_Nonnull scan, const kf_jpeg_span *_Nonnull spans, size_t count,
    const kf_jpeg_scratch *_Nonnull scratch, kf_jpeg_section *_Nonnull section);

/// The image, at the scale rounded up: a byte of grey or four of RGBA for each pixel.
typedef struct {
    /// Line n is written to row n % `row_count`. If there are fewer rows than lines, the caller reads
    /// them before they are overwritten.
    uint8_t *_Nonnull rows;
    size_t bytes_per_row;
    uint32_t row_count;
    uint32_t width;
    uint32_t height;
} kf_jpeg_output;

/// How much of an image has been drawn. Starts with zeros.
typedef struct {
    /// The next MCU.
    uint32_t x;
    uint32_t y;
    /// The next block of the section.
    size_t block;
    /// The lines that have been written.
    uint32_t lines;
} kf_jpeg_painter;

/// The bytes of memory for a row of MCUs at 1, 2, 4 or 8 eighths.
size_t kf_jpeg_row_size(const kf_jpeg_scan *_Nonnull scan, int32_t eighths);

/// Draws one row of MCUs from the section at 1, 2, 4 or 8 eighths: at 1 and 8 with libjpeg-turbo's pixels, at
/// 2 and 4 from the lowest 2 x 2 or 4 x 4 frequencies of a block. At 8, luminance must have the full
/// resolution, and chroma more than two samples in a line. `row` is aligned for uint32_t and keeps its
/// contents between calls. False if the section has ended before the row is complete: the next call needs
/// the next section.
_Bool kf_jpeg_draw_row(
    kf_level level, const kf_jpeg_scan *_Nonnull scan, const kf_jpeg_section *_Nonnull section, int32_t eighths,
    kf_jpeg_painter *_Nonnull painter, uint8_t *_Nonnull row, kf_jpeg_output image);

/// A component of a DC scan.
typedef struct {
    /// Blocks in an MCU of the scan: 1 and 1 if it has one component.
    int32_t horizontal;
    int32_t vertical;
    /// Null in a scan that refines coefficients.
    const kf_jpeg_code *_Nullable code;
    /// The DC coefficients, in rows of blocks.
    int16_t *_Nonnull values;
    size_t stride;
} kf_jpeg_dc_component;

/// A scan of DC coefficients.
typedef struct {
    const kf_jpeg_dc_component *_Nonnull components;
    int32_t count;
    /// MCUs in a row, rows of them, and MCUs between restarts or 0.
    uint32_t columns;
    uint32_t rows;
    uint32_t restart_interval;
    /// The bit of the coefficients that is the lowest one of the scan: 0 to 13.
    int32_t shift;
    /// Bytes without stuffing and restart markers up to `length`, then KF_JPEG_PADDING readable ones.
    const uint8_t *_Nonnull data;
    size_t length;
    /// Where intervals after restarts begin, in bytes.
    const uint32_t *_Nonnull restarts;
    size_t restart_count;
} kf_jpeg_dc_scan;

/// Reads a scan. False if it is not certainly valid.
_Bool kf_jpeg_read_dc(const kf_jpeg_dc_scan *_Nonnull scan);

/// Draws the DC coefficients at an eighth, as libjpeg-turbo does without AC coefficients. A row of a plane
/// has the component's blocks of a row of MCUs. `row` is as for `kf_jpeg_draw_row`.
void kf_jpeg_draw_dc(
    kf_level level, const kf_jpeg_scan *_Nonnull scan, const int16_t *_Nonnull const planes[_Nonnull 3],
    uint8_t *_Nonnull row, kf_jpeg_output image);

typedef struct {
    size_t read;
    size_t written;
    size_t restarts;
    /// Whether the source has no more data.
    _Bool is_end;
} kf_jpeg_unstuffed;

/// Copies entropy-coded data without stuffed bytes and restart markers, up to `capacity` bytes, the first
/// other marker or a restart marker out of order. `number` counts the restarts before. `offsets` gets the
/// place in `target` of at most `maximum` restarts.
kf_jpeg_unstuffed kf_jpeg_unstuff(
    const uint8_t *_Nonnull source, size_t count, uint8_t *_Nonnull target, size_t capacity, uint32_t number,
    uint32_t *_Nonnull offsets, size_t maximum);
