import Foundation
import KingfisherImage

/// How one frame is made of another: a processor, and the way in which it sees the frame.
struct FrameStep: Sendable {
    private let processor: any ImageProcessor
    private let options: KingfisherParsedOptionsInfo
    private let scale: CGFloat
    private let orientation: KFCrossPlatformImage.Orientation
    private let traits: ImageTraits

    /// Frames are of the scale of `animation`, as its first one is.
    init(
        _ processor: any ImageProcessor, options: KingfisherParsedOptionsInfo,
        frameOf animation: KFCrossPlatformImage
    ) {
        self.processor = processor
        self.options = options
        scale = animation.scale
        // Frames that are decoded already were turned when they were taken.
        orientation = animation.images == nil ? animation.imageOrientation : .up
        traits = animation.traits
    }

    /// Whether `made` is `frame` as the processor was given it, but for the scale.
    func handsBack(_ frame: PixelBuffer, as made: KFCrossPlatformImage) -> Bool {
        made.pixels === frame && made.imageOrientation == orientation && made.traits == traits
    }

    func process(_ frame: PixelBuffer) -> KFCrossPlatformImage? {
        let image = KFCrossPlatformImage(
            .still(frame), scale: scale, orientation: orientation, traits: traits)
        return options.decodingContext.run { processor.process(item: .image(image), options: options) }
    }
}

/// The frames of an animation, each processed when it is asked for, on the thread that asks.
///
/// A frame that the processor refuses, or makes of another size than the first, cannot be had.
final class ProcessedFrameSource: PlayableFrameSource {
    /// The first frame, there from the start.
    let first: PixelBuffer
    /// Bytes of a frame before it is processed: what its decoder takes goes by that.
    let originalFrameBytes: Int
    private let frames: any ImageFrameSource
    private let step: FrameStep

    /// Processes `frames`, of `originalFrameBytes` each, by `step`, which has made `first` of the first one.
    init(
        _ frames: any ImageFrameSource, of originalFrameBytes: Int, by step: FrameStep, first: PixelBuffer
    ) {
        self.frames = frames
        self.step = step
        self.first = first
        self.originalFrameBytes =
            (frames as? ProcessedFrameSource)?.originalFrameBytes ?? originalFrameBytes
    }

    /// None: the file shows other pixels.
    var data: Data? { nil }
    var frameCount: Int { frames.frameCount }
    var loopCount: Int { frames.loopCount }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard let pixels = index == 0 ? first : processedFrame(at: index) else { return nil }
        guard let maxSize else { return pixels }
        return try? pixels.resized(to: pixels.size.fitted(within: maxSize))
    }

    private func processedFrame(at index: Int) -> PixelBuffer? {
        let made = frames.frame(at: index).flatMap(step.process)?.kf.normalized.pixels
        return made?.size == first.size ? made : nil
    }

    func duration(at index: Int) -> TimeInterval { frames.duration(at: index) }

    func copy() -> ProcessedFrameSource {
        ProcessedFrameSource(frames.copy(), of: originalFrameBytes, by: step, first: first)
    }

    func copyForPlaying() -> ProcessedFrameSource {
        ProcessedFrameSource(
            frames.playingCopy, of: originalFrameBytes, by: step, first: first)
    }
}
