import CKernels
import Glibc

final class PNGRows: RowsInOrder {
    private let file: PNGFileHeader
    private let inflater: PNGInflater
    private let colors: PNGColorTable?
    /// The pixel for missing rows of a truncated file; nil if missing rows are an error.
    private let blank: UInt32?

    private(set) var found = 0
    private var isOver = false

    private let filtered: Scratch
    /// The previous row, before the palette lookup.
    private let above: Scratch
    private let indices: Scratch

    private let plan: PNGRowPlan
    var rowsAtOnce: Int { plan.rowsAtOnce }

    /// Nil if the stream has no zlib header. The bytes of `pieces` must outlive the rows.
    init?(
        _ file: PNGFileHeader, _ pieces: PNGDataPieces, colors: PNGColorTable?, blank: UInt32?,
        plan: PNGRowPlan
    ) throws(ImageCodecError) {
        guard let inflater = PNGInflater(pieces) else { return nil }
        self.file = file
        self.inflater = inflater
        self.colors = colors
        self.blank = blank
        self.plan = plan
        filtered = try Scratch(byteCount: plan.filteredBytes)
        above = try Scratch(byteCount: plan.rowBytes)
        indices = try Scratch(byteCount: plan.indexBytes)
    }

    func read(_ count: Int, into target: UnsafeMutablePointer<UInt8>, stride: Int) -> Bool {
        let room = UnsafeMutableBufferPointer(start: filtered.bytes, count: plan.filteredStride * count)
        let whole = isOver ? 0 : inflater.read(into: room) / plan.filteredStride
        let sound: Int = (0..<whole).first { filtered.bytes[$0 * plan.filteredStride] > 4 } ?? whole
        unfilter(sound, into: target, stride: stride)
        found += sound
        guard sound < count else { return true }
        isOver = true
        guard let blank, sound == whole, !inflater.isCorrupt else { return false }
        for row in sound..<count { fill(target + row * stride, with: blank) }
        return true
    }

    func finish() -> Bool {
        inflater.finish() || blank != nil && inflater.isTruncated
    }

    private func unfilter(_ count: Int, into target: UnsafeMutablePointer<UInt8>, stride: Int) {
        guard count > 0 else { return }
        let (rows, rowStride) = colors == nil ? (target, stride) : (indices.bytes, plan.rowBytes)
        kf_png_unfilter(
            KernelLevel.current.native, filtered.bytes, plan.filteredStride, Int32(count),
            Int32(file.size.width),
            Int32(file.colorType.channels), above.bytes, rows, rowStride)
        memcpy(above.bytes, rows + (count - 1) * rowStride, plan.rowBytes)
        guard let colors else { return }
        for row in 0..<count {
            kf_png_look_up(
                indices.bytes + row * plan.rowBytes, file.size.width, colors.rgba, target + row * stride)
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
