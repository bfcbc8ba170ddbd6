import Foundation
public import KingfisherImage

/// How much the samples of two images differ.
public struct PixelDifference {
    public let largest: Int
    /// Peak signal to noise ratio in decibels; infinite for equal images.
    public let psnr: Double

    /// Nil for images with other numbers of samples, or without any.
    public init?(_ ours: [Int], _ theirs: [Int], white: Int = 255) {
        guard ours.count == theirs.count, !ours.isEmpty else { return nil }
        let differences = zip(ours, theirs).map { abs($0 - $1) }
        largest = differences.max() ?? 0
        let squares = differences.reduce(0.0) { $0 + Double($1 * $1) } / Double(differences.count)
        psnr = squares == 0 ? .infinity : 10 * log10(Double(white * white) / squares)
    }

    /// Compares as premultiplied RGBA of the depth of `theirs`; nil for images that differ in size.
    public init?(_ ours: PixelBuffer?, _ theirs: PixelBuffer?) {
        guard let ours, let theirs, ours.size == theirs.size else { return nil }
        let depth = theirs.format.depth
        func samples(_ pixels: PixelBuffer) -> [Int]? {
            let alpha: PixelFormat.Alpha = pixels.format.isOpaque ? .opaque : .premultiplied
            return try? pixels.converted(to: PixelFormat(layout: .rgba, depth: depth, alpha: alpha))
                .allSamples
        }
        guard let ours = samples(ours), let theirs = samples(theirs) else { return nil }
        self.init(ours, theirs, white: depth == .eight ? 255 : 65_535)
    }
}
