package import KingfisherCodecSupport

extension DecodingTarget {
    /// The size of an upright image of size `shown` after decoding: the target's size if the target is exact,
    /// otherwise the smallest of the same aspect ratio that is at least the target, and never larger.
    package func size(of shown: PixelSize) -> PixelSize {
        switch self {
        case .full: return shown
        case .exactly(let size): return size
        case .atLeast(let minimum):
            let ratio = max(
                Double(minimum.width) / Double(shown.width), Double(minimum.height) / Double(shown.height))
            guard ratio > 0, ratio < 1 else { return shown }
            func side(_ whole: Int, _ minimum: Int) -> Int {
                min(whole, max(minimum, Int((Double(whole) * ratio).rounded(.up))))
            }
            return PixelSize(
                width: side(shown.width, minimum.width), height: side(shown.height, minimum.height))
        }
    }
}
