public import Foundation

/// The sizes of the thumbnails that programs of a desktop share.
public enum DesktopThumbnailSize: Int, CaseIterable, Hashable, Sendable {
    /// 128 pixels.
    case normal = 128
    /// 256 pixels.
    case large = 256
    /// 512 pixels.
    case xLarge = 512
    /// 1,024 pixels.
    case xxLarge = 1024

    /// The smallest size that fills a box of `size` points at `scale` pixels per point; `xxLarge` for larger
    /// boxes.
    public init(covering size: CGSize, scale: CGFloat = 1) {
        let side = max(size.width, size.height) * scale
        self = Self.allCases.first { CGFloat($0.pixels) >= side } ?? .xxLarge
    }

    /// The longer side of a thumbnail in pixels.
    public var pixels: Int { rawValue }

    var folderName: String {
        switch self {
        case .normal: "normal"
        case .large: "large"
        case .xLarge: "x-large"
        case .xxLarge: "xx-large"
        }
    }

    /// More than any valid thumbnail has: uncompressed samples of 16 bits, and metadata.
    static let maximumBytes = 10 << 20
}
