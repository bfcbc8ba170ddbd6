// A baseline JPEG scan at an eighth of its size (docs/decisions/058). Included by CKernels.h.
//
// The pixels are those of libjpeg-turbo. A scan that is not certainly valid is refused, without a reason: the
// caller lets libjpeg decode it then, whose verdict counts.

/// Bits that index a lookup table.
enum { KF_JPEG_INDEX_BITS = 12, KF_JPEG_INDEX_SIZE = 1 << KF_JPEG_INDEX_BITS };
/// Streams that are decoded in turns, and readable bytes that must follow the unstuffed data.
enum { KF_JPEG_STREAMS = 4, KF_JPEG_PADDING = 64 };
/// Blocks of an MCU at most (ITU-T T.81, B.2.3).
enum { KF_JPEG_MCU_BLOCKS = 10 };
/// Blocks that a stream may write beyond those of its scan or interval.
enum { KF_JPEG_SLACK = 32 };

/// A Huffman code. Tables are indexed by the next 12 bits.
typedef struct {
    /// Several symbols at once, as a sum for the state word of a stream; see jpeg_tables.c.
    uint32_t skip[KF_JPEG_INDEX_SIZE];
    /// One symbol: its length in the high byte, its value in the low one; 0 if the code is longer.
    uint16_t symbol[KF_JPEG_INDEX_SIZE];
    /// One AC coefficient: length in bits 0...4, run in 8...11, value in 16...31; 0 for others.
    uint32_t value[KF_JPEG_INDEX_SIZE];
    /// For each length of codes: the last one, or -1, and what must be added for the index in `values`.
    int32_t last[17];
    int32_t offset[17];
    uint8_t values[256];
} kf_jpeg_code;

/// The DC and the AC code of a component.
typedef struct {
    kf_jpeg_code dc;
    kf_jpeg_code ac;
} kf_jpeg_codes;

/// The definition of a code: 16 numbers of codes, by length, and the values of all.
typedef struct {
    const uint8_t *_Nonnull counts;
    const uint8_t *_Nonnull values;
} kf_jpeg_definition;

/// False if a definition is not that of a prefix code. The caller checks that there are at most 256 values.
_Bool kf_jpeg_make_codes(kf_jpeg_codes *_Nonnull codes, kf_jpeg_definition dc, kf_jpeg_definition ac);

/// Copies entropy-coded data without stuffed bytes and restart markers, up to the first other marker, or to a
/// restart marker that is out of order or beyond `maximum`.
///
/// `target` needs `count` + KF_JPEG_PADDING bytes and gets `unstuffed` ones. `restarts` gets the offset in
/// `target` of each interval but the first, `found` their number. Returns the offset in `source` of the
/// marker that ends the data, or of the end.
size_t kf_jpeg_unstuff(
    const uint8_t *_Nonnull source, size_t count, uint8_t *_Nonnull target, size_t *_Nonnull unstuffed,
    uint32_t *_Nonnull restarts, size_t maximum, size_t *_Nonnull found);

typedef struct {
    /// Sampling factors, 1 or 2.
    int32_t horizontal;
    int32_t vertical;
    const kf_jpeg_codes *_Nonnull codes;
    /// 64 factors up to 32,767, in the order of rows.
    const uint16_t *_Nonnull quantization;
} kf_jpeg_component;

/// A scan of all components of an image, without stuffed bytes.
typedef struct {
    /// 1, with sampling factors of 1, or 3 of YCbCr, with at most KF_JPEG_MCU_BLOCKS blocks in an MCU.
    const kf_jpeg_component *_Nonnull components;
    int32_t count;
    /// MCUs in a row, rows of them, and MCUs between restarts or 0.
    uint32_t columns;
    uint32_t rows;
    uint32_t restart_interval;
    const uint8_t *_Nonnull data;
    /// At most 2^28 bytes.
    size_t length;
    /// The offset of each interval but the first. There must be as many as the size and the interval imply.
    const uint32_t *_Nonnull restarts;
} kf_jpeg_scan;

/// What a stream has found of a block.
typedef struct {
    /// The state word at the end of the block, with the DC difference.
    uint32_t word;
    /// With the bits in the word the position where the block ends.
    uint32_t position;
} kf_jpeg_block;

typedef struct {
    /// For each stream the blocks of the scan, or of one interval, and KF_JPEG_SLACK.
    kf_jpeg_block *_Nonnull streams[KF_JPEG_STREAMS];
    /// The blocks of the scan; only used with restarts.
    kf_jpeg_block *_Nullable blocks;
    /// 12 bytes for each MCU in a row.
    uint8_t *_Nonnull row;
} kf_jpeg_scratch;

/// An eighth of the size, rounded up: a byte of grey or four of RGBA for each pixel.
typedef struct {
    uint8_t *_Nonnull rows;
    size_t bytes_per_row;
    uint32_t width;
    uint32_t height;
} kf_jpeg_eighth;

/// Decodes by `streams` (1 or 4) streams, which give the same pixels. False if the scan is not certainly
/// valid.
_Bool kf_jpeg_decode_eighth(
    kf_level level, const kf_jpeg_scan *_Nonnull scan, int32_t streams, kf_jpeg_scratch scratch,
    kf_jpeg_eighth image);
