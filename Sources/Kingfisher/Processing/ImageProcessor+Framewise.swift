/// A processor that is made of others, which run one after the other.
protocol CompositeImageProcessor: ImageProcessor {
    /// The processors that a frame of an animation goes through, in order; empty where frames need none.
    var stages: [any ImageProcessor] { get }
}

extension ImageProcessor {
    /// This processor, applied to every frame of an animation, and to stills as ever: what the option
    /// `.processesAnimatedFrames` makes of it.
    ///
    /// Its identifier names the processed animation in caches, as this processor's own names the still of the first
    /// frame, so that `cache.isCached(forKey: key, processorIdentifier: processor.framewise.identifier)` asks for
    /// the animation. The default processor, which changes no frame, stays as it is, and so does what is framewise
    /// already.
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
}
