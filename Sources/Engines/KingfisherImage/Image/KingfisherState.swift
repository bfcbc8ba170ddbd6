public import Foundation

/// Metadata of an image besides its pixels: the source of an animation, and how it was made.
package struct KingfisherState: Sendable {
    package var frameSource: (any ImageFrameSource)?
    package var frameCount: Int?
    package var loopCount = 0
    package var animatedData: Data?
    /// All frames of an animation of which only the first was requested, so that it can still be stored as an
    /// animation.
    package var hiddenFrames: (any ImageFrameSource)?
    /// The unprocessed frames; the processor can make the image from them again.
    package var originalFrames: (any ImageFrameSource)?
    /// The source of the preloaded frames. It decodes them on demand without holding them.
    package var preloadedSource: (any ImageFrameSource)?
    /// The bytes of the still image's file, while the pixels match them; see `ImageCodec.keepsFileBytes`.
    package var fileBytes: Data?
    /// Whether the image was decoded from a file that can be decoded at any size, and not processed.
    package var isScalable = false
    package var creatingOptions: ImageCreatingOptions?

    package init() {}
}

extension KingfisherWrapper where Base == Image {
    /// The frame count of the animation that the image was made from; nil for an image that was never
    /// animated.
    ///
    /// A serializer or processor that makes an animation itself may set it; nothing else changes.
    public var imageFrameCount: Int? {
        get { base.withState(\.frameCount) }
        nonmutating set { base.withState { $0.frameCount = newValue } }
    }

    /// The same as `frameSource`, under the name it has on Apple platforms.
    public var imageSource: (any ImageFrameSource)? { frameSource }

    /// The frames, while they are decoded on demand; nil for stills and for preloaded animations.
    public var frameSource: (any ImageFrameSource)? {
        base.withState(\.frameSource)
    }

    /// Copies this image's metadata (animated bytes, frame source, creating options) to `image`, so that a
    /// processor's result can still be stored as the animation it came from.
    public func copyKingfisherState(to image: Image) {
        var state = base.withState { $0 }
        // These describe pixels, which may differ in the copy.
        state.fileBytes = nil
        state.isScalable = false
        state.preloadedSource = nil
        image.withState { $0 = state }
    }

    /// The bytes of the file that the image represents: of an animation, even if only its first frame was
    /// requested or a processor copied them to its result; or of an unchanged still image.
    public var fileBytes: Data? {
        base.withState { $0.animatedData ?? $0.fileBytes }
    }

    /// The bytes of the file that the image was made from, even if a processor changed its pixels: a
    /// serializer may keep its format and encoding.
    public var sourceFile: Data? {
        base.withState { $0.animatedData ?? $0.fileBytes ?? $0.originalFrames?.data }
    }

    package var animatedData: Data? { base.withState(\.animatedData) }
    package var creatingOptions: ImageCreatingOptions? { base.withState(\.creatingOptions) }
    package var originalFrames: (any ImageFrameSource)? { base.withState(\.originalFrames) }
}
