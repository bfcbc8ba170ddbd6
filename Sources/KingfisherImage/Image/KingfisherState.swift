public import Foundation

/// What travels with an image beside its pixels: where an animation came from and how it was made.
package struct KingfisherState: Sendable {
    /// The frames that the image was made from, kept while they are decoded on demand.
    package var frameSource: (any ImageFrameSource)?
    /// Frames of the source; nil for an image that never was one.
    package var frameCount: Int?
    /// How often the source plays; 0 means for ever.
    package var loopCount = 0
    /// The bytes of the animated file.
    package var animatedData: Data?
    /// All frames of the animation whose first one alone was asked for, so that it can still be stored as
    /// one.
    package var hiddenFrames: (any ImageFrameSource)?
    /// What the image's frames were processed from; the processor can make it anew of them.
    package var originalFrames: (any ImageFrameSource)?
    /// What the decoded frames were taken from, one by one and as long as it says: it gives them without
    /// holding them.
    package var preloadedSource: (any ImageFrameSource)?
    /// The bytes of the still image's file, while the pixels are what they say; see
    /// `ImageCodec.keepsFileBytes`.
    package var fileBytes: Data?
    /// The options the animation was made with.
    package var creatingOptions: ImageCreatingOptions?

    package init() {}
}

extension KingfisherWrapper where Base == Image {
    /// Frames of the animation that the image was made from; nil for an image that never was one.
    ///
    /// A serializer or processor that makes an animation in its own way may set it; nothing else changes.
    public var imageFrameCount: Int? {
        get { base.withState(\.frameCount) }
        nonmutating set { base.withState { $0.frameCount = newValue } }
    }

    /// The same as `frameSource`, under the name that it has on Apple's systems.
    public var imageSource: (any ImageFrameSource)? { frameSource }

    /// The frames, while they are decoded on demand; nil for stills and for preloaded animations.
    public var frameSource: (any ImageFrameSource)? {
        base.withState(\.frameSource)
    }

    /// Hands what travels with this image (animated bytes, frame source, creating options) to `image`, so
    /// that a processor's result can still be stored as the animation it came from.
    public func copyKingfisherState(to image: Image) {
        var state = base.withState { $0 }
        // These two speak of pixels, which may be others there.
        state.fileBytes = nil
        state.preloadedSource = nil
        image.withState { $0 = state }
    }

    /// The bytes of the file that the image stands for: of an animation, also where only its first frame
    /// was asked for, or where a processor has handed them to its result, or of a still that nothing has
    /// changed.
    public var fileBytes: Data? {
        base.withState { $0.animatedData ?? $0.fileBytes }
    }

    /// The bytes of the file that the image was made of, though a processor may have changed its pixels: a
    /// serializer may keep its format and encoding.
    public var sourceFile: Data? {
        base.withState { $0.animatedData ?? $0.fileBytes ?? $0.originalFrames?.data }
    }

    package var animatedData: Data? { base.withState(\.animatedData) }
    package var creatingOptions: ImageCreatingOptions? { base.withState(\.creatingOptions) }
    package var originalFrames: (any ImageFrameSource)? { base.withState(\.originalFrames) }
}
