import Foundation

/// Selects the deflate window for an image and estimates the compressed size, from a sample of rows (of long
/// rows, their first pieces).
struct PNGWindow {
    let best: PNGDeflate.Window
    let byteCount: Int

    private static let strips = 8
    private static let share = 16
    private static let enough = 1 << 14
    /// The sample must shrink by at least one percent to justify the slower full window.
    private static let gain = 0.99

    init(for lines: borrowing PNGScanlines) throws(ImageCodecError) {
        let height = lines.pixels.height
        // At least two rows, so that vertical repetition can occur.
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
