import CKernels
import CLinux

/// Decodes baseline JPEG files at full size, or at an eighth, a quarter or half of it (decision 059).
///
/// At full size and an eighth the pixels are libjpeg-turbo's. At a quarter and half, a block is drawn from
/// its lowest 2 x 2 or 4 x 4 frequencies, which is closer to the full image than libjpeg's averages.
///
/// Files that are not supported or not certainly valid are refused. libjpeg decodes them, so errors are
/// always libjpeg's.
package struct JPEGBaselineDecoder {
    /// Files with fewer bytes from the scan to the end are left to libjpeg: making the tables takes 0.1 ms,
    /// and the memory for sections would be most of what a small image needs. Tests set it.
    @TaskLocal package static var minimumScanBytes = 1 << 16
    /// Bytes of a scan that are decoded at a time. More do not stay in the processor's cache, and of fewer,
    /// too large a part is spent on the search for the first blocks.
    static let sectionBytes = 120_000
    /// The memory that a decoder takes besides the image or a ring of its rows, in bytes: tables, bytes
    /// of sections, a row of MCUs, and blocks in up to four sections and in streams. Streams in hostile files
    /// may take some megabytes more, for blocks that are wrong.
    static func workingBytes(width: Int, blocks: Int) -> Int {
        let inSection = 4 * sectionBytes
        return (1 << 20) + 52 * width + 8 * min(blocks, 4 * inSection) + 16 * min(blocks, inSection)
    }

    /// Scans of this many bytes take some milliseconds, so that starting a thread pays.
    static let minimumParallelBytes = 1 << 19

    /// One stream or `KF_JPEG_STREAMS`; the pixels are the same.
    var streams = Int(KF_JPEG_STREAMS)
    var sectionBytes = Self.sectionBytes
    /// Whether a second thread reads sections while the caller's draws them; nil if it shall for a large scan
    /// while a core is idle.
    var hasThread: Bool?

    let scan: JPEGBaselineScan
    let eighths: Int
    /// MCUs in a row, and rows of them.
    let columns: Int
    let rows: Int
    /// The image at the scale.
    let size: PixelSize
    let extent: PixelExtent

    init?(_ reader: ByteReader, frame: JPEGFrameHeader, scale: JPEGScale) {
        // libjpeg has a limit of 65,500.
        guard max(frame.size.width, frame.size.height) <= 65_500,
            let scan = JPEGBaselineScan(reader, frame: frame)
        else { return nil }
        self.scan = scan
        eighths = scale.eighths
        size = scale.applied(to: frame.size)
        extent = scale.extent(of: frame.size)
        let tables = scan.tables
        columns = tables.columns(of: frame.size)
        rows = tables.rows(of: frame.size)
        // Luminance with half the resolution of chroma would lose detail.
        guard eighths == 1 || tables.components[0].horizontal == tables.horizontal,
            eighths == 1 || tables.components[0].vertical == tables.vertical,
            // libjpeg does not interpolate the chroma of narrower images.
            eighths < 8 || frame.size.width >= 8
        else { return nil }
    }

    /// In debug builds libjpeg takes a sixteenth of the time. Tests set it, also in decoder processes.
    @TaskLocal package static var isOptimized = kf_is_optimized()

    /// Whether libjpeg would take longer. It does not for small files, for smooth ones at half or full size,
    /// and for noise at full size.
    var isFaster: Bool {
        let bytes = scan.data.count
        return Self.isOptimized && bytes >= Self.minimumScanBytes && (eighths < 4 || bytes >= blocks * 3 / 2)
            && (eighths < 8 || bytes <= blocks * 48)
    }

    var blocks: Int {
        columns * rows * scan.tables.components.reduce(0) { $0 + $1.horizontal * $1.vertical }
    }

    /// The bytes of a section at most.
    var sectionCapacity: Int { max(min(sectionBytes, scan.data.count), Int(KF_JPEG_MINIMUM_SECTION)) }

    /// The blocks that a stream may find in a section, right or wrong: each has at least two bits.
    var streamBlocks: Int { sectionCapacity * 4 }

    /// The blocks of a section at most.
    var sectionBlocks: Int { min(blocks, streamBlocks) }

    /// Rows of the image that are in memory if a filter reads `window` at a time: the last of them may be the
    /// first of a row of MCUs.
    func ringRows(window: Int) -> Int { min(window + scan.tables.vertical * eighths, size.height) }

    /// The cores that reading the scan may use: one if it is too short for a second thread.
    var allowedCores: Int {
        scan.data.count >= Self.minimumParallelBytes ? IdleCoreReservation.allowedCores : 1
    }

    /// Decodes to rows of grey or RGBA; false if libjpeg must decode the file.
    func decode(to image: kf_jpeg_output) -> Bool {
        JPEGRows(self, image: image)?.draw(upTo: size.height) ?? false
    }
}
