import Foundation
import KingfisherImage

/// A processor that is made of others, which run one after the other.
protocol CompositeImageProcessor: ImageProcessor {
    /// The processors that a frame of an animation goes through, in order; empty where frames need none.
    var stages: [any ImageProcessor] { get }

    /// As `ImageFileProcessor` has it.
    func stages(decoding file: Data) -> [any ImageProcessor]

    /// Whether the processor that a file goes to first is an `ImageFileProcessor`.
    func decodesFile(_ file: Data) -> Bool
}

extension ImageProcessor {
    /// This processor, applied to every frame of an animation, and to stills as ever: what the option
    /// `.processesAnimatedFrames` makes of it.
    ///
    /// Its identifier names the processed animation in caches, as this processor's own names the still of the
    /// first frame, so that `cache.isCached(forKey: key, processorIdentifier:
    /// processor.framewise.identifier)` asks for the animation. The default processor, which changes no
    /// frame, stays as it is, and so does what is framewise already.
    public var framewise: any ImageProcessor {
        let stages = stages
        guard !(self is FramewiseImageProcessor), !stages.allSatisfy(\.identifier.isEmpty) else {
            return self
        }
        return FramewiseImageProcessor(plain: self, stages: stages)
    }

    /// The processors that this one consists of: itself, unless it is made of others.
    var stages: [any ImageProcessor] {
        (self as? any CompositeImageProcessor)?.stages ?? [self]
    }

    /// The processors that take a file together: itself, unless it is made of others.
    func stages(decoding file: Data) -> [any ImageProcessor] {
        if let processor = self as? any CompositeImageProcessor { return processor.stages(decoding: file) }
        let stages = (self as? any ImageFileProcessor)?.stages(decoding: file) ?? []
        return stages.isEmpty ? [self] : stages
    }
}

extension Data {
    /// What the registered codec of the file's format reads in its header; nil where there is none or it
    /// cannot; of a file that ends early, what arrived where `acceptsPartialImages` is true.
    func imageHeader(acceptsPartialImages: Bool = false) -> ImageHeader? {
        try? ImageCodecs.codec(for: self)?.header(of: self, acceptsPartialImages: acceptsPartialImages)
    }
}
