public import Foundation
import Synchronization

/// An image: decoded pixels, or the frames of an animation, at a scale.
///
/// `size` is in points (pixels / scale). Immutable and safe from any thread; two images are equal only if
/// they are the same object. The initialisers decode files on the caller's thread, so every image has valid
/// pixels, unless it was made empty by `init()`.
public final class Image: Sendable {
    /// How a toolkit draws the image.
    public enum RenderingMode: Int, Sendable {
        case automatic, alwaysOriginal, alwaysTemplate
    }

    package enum Representation: Sendable {
        case empty
        case still(PixelBuffer)
        case frames([Image], FrameDurations)
        /// Frames decoded on demand; `first` is already decoded.
        case source(any ImageFrameSource, first: PixelBuffer)
    }

    package let representation: Representation
    /// Pixels per point.
    public let scale: CGFloat
    /// The orientation of the stored pixels; `.up` for decoded files, because decoding applies it.
    public let imageOrientation: Orientation
    package let traits: ImageTraits
    private let state: Mutex<KingfisherState>

    package init(
        _ representation: Representation, scale: CGFloat = 1, orientation: Orientation = .up,
        traits: ImageTraits = ImageTraits(), state: KingfisherState = KingfisherState()
    ) {
        self.representation = representation
        self.scale = scale.isFinite && scale > 0 ? scale : 1
        self.imageOrientation = orientation
        self.traits = traits
        self.state = Mutex(state)
    }

    /// Reads or changes the image's metadata; `body` runs under a lock and must be short.
    package func withState<Result>(_ body: (inout KingfisherState) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// An empty image: size zero, no pixels.
    public convenience init() {
        self.init(.empty)
    }

    /// Makes a copy of `image` with its frames, file bytes and other metadata.
    public convenience init(_ image: Image) {
        self.init(
            image.representation, scale: image.scale, orientation: image.imageOrientation,
            traits: image.traits, state: image.withState { $0 })
    }

    /// Makes an image from `pixels` at `scale` pixels per point with an orientation.
    public convenience init(pixels: PixelBuffer, scale: CGFloat = 1, orientation: Orientation = .up) {
        self.init(.still(pixels), scale: scale, orientation: orientation)
    }

    /// The pixels of a still image, or of an animation's first frame; nil for an empty image.
    public var pixels: PixelBuffer? {
        switch representation {
        case .empty: nil
        case .still(let pixels): pixels
        case .frames(let frames, _): frames.first?.pixels
        case .source(_, let first): first
        }
    }

    /// Width and height in points, after the orientation is applied.
    public var size: CGSize {
        guard let pixels else { return .zero }
        let size = imageOrientation.swapsSides ? pixels.size.swapped : pixels.size
        return CGSize(width: CGFloat(size.width) / scale, height: CGFloat(size.height) / scale)
    }

    /// The decoded frames of an animation; nil for a still image and for an animation decoded on demand.
    public var images: [Image]? {
        if case .frames(let frames, _) = representation { frames } else { nil }
    }

    /// The duration of one loop of the decoded frames in seconds; 0 without them.
    public var duration: TimeInterval {
        if case .frames(_, let durations) = representation { durations.total } else { 0 }
    }
}

extension Image: Hashable {
    public static func == (lhs: Image, rhs: Image) -> Bool { lhs === rhs }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension Image: CustomStringConvertible {
    public var description: String {
        "<Image \(size.width)x\(size.height) pt, scale \(scale)>"
    }
}

extension Image: KingfisherCompatible {}
