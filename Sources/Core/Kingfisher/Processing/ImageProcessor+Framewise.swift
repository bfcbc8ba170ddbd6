import Foundation
import KingfisherImage

protocol CompositeImageProcessor: ImageProcessor {
    /// The processors for a frame of an animation, in order; empty if frames are not processed.
    var stages: [any ImageProcessor] { get }

    func stages(decoding file: Data) -> [any ImageProcessor]

    func decodesFile(_ file: Data) -> Bool
}

extension ImageProcessor {
    /// This processor, applied to every frame of an animation; still images are processed as before. The
    /// option `.processesAnimatedFrames` uses it.
    ///
    /// Its identifier is the cache identifier of the processed animation; the identifier of this processor is
    /// for the still image of the first frame. Thus `cache.isCached(forKey: key, processorIdentifier:
    /// processor.framewise.identifier)` looks up the animation. The default processor and processors that are
    /// framewise already are returned unchanged.
    public var framewise: any ImageProcessor {
        let stages = stages
        guard !(self is FramewiseImageProcessor), !stages.allSatisfy(\.identifier.isEmpty) else {
            return self
        }
        return FramewiseImageProcessor(plain: self, stages: stages)
    }

    var stages: [any ImageProcessor] {
        (self as? any CompositeImageProcessor)?.stages ?? [self]
    }

    func stages(decoding file: Data) -> [any ImageProcessor] {
        if let processor = self as? any CompositeImageProcessor { return processor.stages(decoding: file) }
        let stages = (self as? any ImageFileProcessor)?.stages(decoding: file) ?? []
        return stages.isEmpty ? [self] : stages
    }
}

extension Data {
    /// The header of the file, read by the registered codec of its format; nil without a codec or if reading
    /// fails. With `acceptsPartialImages`, the file may be truncated.
    func imageHeader(acceptsPartialImages: Bool = false) -> ImageHeader? {
        try? ImageCodecs.open(self, acceptsPartialImages: acceptsPartialImages).header
    }
}
