import CKernels
import Glibc

/// The rows of a picture of 8 bits that is not interlaced, from top to bottom, as pixels of its format.
final class PNGRows {
    private let file: PNGFileHeader
    private let inflater: PNGInflater
    private let colors: PNGColorTable?
    /// What stands for the rows that a cut file lacks; nil where they are not to be had.
    private let blank: UInt32?

    /// As many rows as go through the filters at once: the longer, the less ISA-L copies; the shorter, the
    /// nearer to the processor they stay.
    let rowsAtOnce: Int
    /// Rows that the file had so far.
    private(set) var found = 0
    private var isOver = false

    private let filtered: Scratch
    /// The row above the next one, before colours are looked up.
    private let above: Scratch
    private let indices: Scratch

    /// A filter byte and the row's samples.
    private let filteredStride: Int
    private let rowBytes: Int

    /// Rows are read in whole groups of `group`. Nil where the stream has no zlib header. The bytes of
    /// `pieces` must outlive the rows.
    init?(
        _ file: PNGFileHeader, _ pieces: PNGDataPieces, colors: PNGColorTable?, blank: UInt32?, group: Int = 1
    ) {
        guard let inflater = PNGInflater(pieces) else { return nil }
        self.file = file
        self.inflater = inflater
        self.colors = colors
        self.blank = blank
        filteredStride = 1 + file.size.width * file.colorType.channels
        rowBytes = file.size.width * (file.colorType == .rgb ? 4 : file.colorType.channels)
        rowsAtOnce = min(Self.rowsAtOnce(stride: filteredStride, group: group), file.size.height)
        filtered = Scratch(byteCount: filteredStride * rowsAtOnce + 3)
        above = Scratch(byteCount: rowBytes)
        indices = Scratch(byteCount: colors == nil ? 0 : rowBytes * rowsAtOnce)
    }

    /// Near 192 KB; a multiple of four, which is how many rows the filters take together, where the group
    /// allows.
    private static func rowsAtOnce(stride: Int, group: Int) -> Int {
        let unit = group % 4 == 0 ? group : group % 2 == 0 ? group * 2 : group * 4
        let rows = (192 << 10) / stride / unit * unit
        if rows > 0 { return rows }
        return unit * stride <= 1 << 20 ? unit : group
    }

    /// Makes the next `count` rows, at most `rowsAtOnce`; false where the stream ends or breaks before, or a
    /// row has a filter that PNG does not know.
    func read(_ count: Int, into target: UnsafeMutablePointer<UInt8>, stride: Int) -> Bool {
        let room = UnsafeMutableBufferPointer(start: filtered.bytes, count: filteredStride * count)
        let whole = isOver ? 0 : inflater.read(into: room) / filteredStride
        let sound = (0..<whole).first { filtered.bytes[$0 * filteredStride] > 4 } ?? whole
        unfilter(sound, into: target, stride: stride)
        found += sound
        guard sound < count else { return true }
        isOver = true
        guard let blank else { return false }
        for row in sound..<count { fill(target + row * stride, with: blank) }
        return true
    }

    /// Whether the file's stream ends with the last row.
    func finish() -> Bool {
        inflater.finish()
    }

    private func unfilter(_ count: Int, into target: UnsafeMutablePointer<UInt8>, stride: Int) {
        guard count > 0 else { return }
        let (rows, rowStride) = colors == nil ? (target, stride) : (indices.bytes, rowBytes)
        kf_png_unfilter(
            KernelLevel.current.native, filtered.bytes, filteredStride, Int32(count), Int32(file.size.width),
            Int32(file.colorType.channels), above.bytes, rows, rowStride)
        memcpy(above.bytes, rows + (count - 1) * rowStride, rowBytes)
        guard let colors else { return }
        for row in 0..<count {
            kf_png_look_up(
                indices.bytes + row * rowBytes, file.size.width, colors.rgba, target + row * stride)
        }
    }

    private func fill(_ row: UnsafeMutablePointer<UInt8>, with pixel: UInt32) {
        let channels = file.pixelFormat.layout.channels
        withUnsafeBytes(of: pixel) { pixel in
            for x in 0..<file.size.width {
                for channel in 0..<channels { row[x * channels + channel] = pixel[channel] }
            }
        }
    }
}
