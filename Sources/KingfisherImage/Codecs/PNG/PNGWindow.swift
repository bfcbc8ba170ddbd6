import Foundation

/// Which window suits an image, and how small it makes it, tried with a sample of its rows, of long ones the
/// beginnings.
struct PNGWindow {
    let best: PNGDeflate.Window
    /// About how many bytes the compressed rows will take.
    let byteCount: Int

    /// Places that the sample is taken from, spread evenly.
    private static let strips = 8
    /// Of how many rows one is looked at: fewer would not be sure, more take time.
    private static let share = 16
    /// Bytes of a strip that are enough.
    private static let enough = 1 << 14
    /// By how much the sample must shrink before looking for more than runs, which is faster: a hundredth.
    private static let gain = 0.99

    init(for lines: borrowing PNGScanlines) throws(ImageCodecError) {
        let height = lines.pixels.height
        // Two rows at least, or nothing could repeat below itself.
        let rows = min(
            height, max(2, min(height / (Self.strips * Self.share), Self.enough / lines.headLength)))
        let tops =
            height < 2 * Self.strips * rows
            ? [0] : (0..<Self.strips).map { (2 * $0 + 1) * height / (2 * Self.strips) - rows / 2 }
        let count = tops.count * rows * lines.headLength
        let sample = try Scratch(byteCount: count)
        for (index, top) in tops.enumerated() {
            lines.filter(top..<top + rows, into: sample.bytes + index * rows * lines.headLength)
        }
        let runs = try Self.size(of: sample, count, .runs)
        let whole = try Self.size(of: sample, count, .whole)
        best = Double(whole) < Double(runs) * Self.gain ? .whole : .runs
        byteCount = Int(Double(min(runs, whole)) / Double(count) * Double(lines.byteCount))
    }

    private static func size(
        of sample: borrowing Scratch, _ count: Int, _ window: PNGDeflate.Window
    ) throws(ImageCodecError) -> Int {
        var output = Data()
        try PNGDeflate(window).append(sample.bytes, count: count, isLast: true, to: &output)
        return output.count
    }
}
