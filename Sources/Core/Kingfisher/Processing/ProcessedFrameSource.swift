import Foundation
import KingfisherImage

struct FrameStep: Sendable {
    private let processor: any ImageProcessor
    private let options: KingfisherParsedOptionsInfo
    private let scale: CGFloat
    private let orientation: KFCrossPlatformImage.Orientation
    private let traits: ImageTraits

    init(
        _ processor: any ImageProcessor, options: KingfisherParsedOptionsInfo,
        frameOf animation: KFCrossPlatformImage
    ) {
        self.processor = processor
        self.options = options
        scale = animation.scale
        // Decoded frames are upright already.
        orientation = animation.images == nil ? animation.imageOrientation : .up
        traits = animation.traits
    }

    func leavesUnchanged(_ frame: PixelBuffer, in made: KFCrossPlatformImage) -> Bool {
        made.pixels === frame && made.imageOrientation == orientation && made.traits == traits
    }

    func process(_ frame: PixelBuffer) -> KFCrossPlatformImage? {
        let image = KFCrossPlatformImage(
            .still(frame), scale: scale, orientation: orientation, traits: traits)
        return options.decodingContext.run { processor.process(item: .image(image), options: options) }
    }
}

/// The frames of an animation, each processed on demand, on the calling thread.
///
/// A frame is missing if the processor fails or its result differs in size from the first frame.
final class ProcessedFrameSource: PlayableFrameSource {
    let first: PixelBuffer
    /// The bytes of a frame before processing, which determine the memory of its decoder.
    let originalFrameBytes: Int
    private let frames: any ImageFrameSource
    private let step: FrameStep

    init(
        _ frames: any ImageFrameSource, of originalFrameBytes: Int, by step: FrameStep, first: PixelBuffer
    ) {
        self.frames = frames
        self.step = step
        self.first = first
        self.originalFrameBytes =
            (frames as? ProcessedFrameSource)?.originalFrameBytes ?? originalFrameBytes
    }

    /// Nil, because the file has other pixels.
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
