import KingfisherImage
import Synchronization

/// The smaller image that a load shows until its image arrives (`.lowResolution`).
@MainActor final class LowResolution {
    let source: Source?
    private weak var image: Image?

    init(of source: Source?) { self.source = source }

    func isShown(as shown: Image?) -> Bool { shown != nil && shown === image }

    /// Whether `new` has more detail than what is shown of the load.
    func isExceeded(by new: Image, over shown: Image?) -> Bool {
        !isShown(as: shown) || shown.map { new.pixelCount > $0.pixelCount } ?? true
    }

    func note(_ image: Image) { self.image = image }
}

extension LoadTarget {
    /// Shows a smaller image from memory. Returns false if there is none, or if memory has the image itself.
    func showsSmallerImageInMemory(of load: ViewLoad) -> Bool {
        guard let low = load.lowResolution else { return false }
        let size = load.options.decodesToViewSize ? fittedView?.decodedSize : nil
        guard !load.isInMemory(decodedTo: size) else { return false }
        let options = load.options.decoding(to: size)
        let images = [
            low.source.flatMap { load.manager.imageInMemory(of: $0, options: options) },
            load.manager.smallerImageInMemory(of: load.source, options: options),
        ].compactMap { $0 }
        guard let image = images.max(by: { $0.pixelCount < $1.pixelCount }) else { return false }
        show(options.imageModifier?.modify(image) ?? image, as: low, of: load)
        return true
    }

    /// Makes the function that loads the smaller image, at its first call, beside the load; nil if the load
    /// has no source for it.
    func lowResolutionLoad(
        for load: ViewLoad, options: KingfisherParsedOptionsInfo
    ) -> (@Sendable () -> Void)? {
        guard let low = load.lowResolution, let source = low.source else { return nil }
        let (current, reference, manager) = (current, reference, load.manager)
        var options = options
        options.change { values in
            values.disableFailover()
            values.waitForCache = false
        }
        let task = DownloadTask()
        current.add(companion: task, to: load.identifier)
        let plan = RequestPlan(source, options, isCurrent: { current.isCurrent(companion: task) })
        let hasStarted = Atomic(false)
        return { [weak renderer = renderer] in
            guard !hasStarted.exchange(true, ordering: .relaxed), current.isCurrent(companion: task) else {
                return
            }
            let work = manager.retrieveImage(plan) { [weak renderer] result in
                guard let image = try? result.get().image, current.isCurrent(companion: task) else { return }
                if !MainQueue.isCurrent { renderer?.prepare(image) }
                CallbackQueue.mainCurrentOrAsync.execute {
                    MainActor.assumeIsolated {
                        guard current.isCurrent(companion: task), let target = reference() else { return }
                        if low.isExceeded(by: image, over: target.shownImage) {
                            target.show(image, as: low, of: load)
                        }
                    }
                }
            }
            if let work { task.forward(to: work) }
        }
    }

    private func show(_ image: Image, as low: LowResolution, of load: ViewLoad) {
        low.note(image)
        showSubstitute(image, options: load.options)
    }
}

extension ViewLoad {
    /// The options with which the image replaces `shown`: a crossfade if that is the smaller image.
    @MainActor func transitionOptions(from shown: Image?) -> KingfisherParsedOptionsInfo {
        lowResolution?.isShown(as: shown) == true ? options.crossfading : options
    }
}

extension KingfisherParsedOptionsInfo {
    /// The options for an image that replaces another one of the same source, wherever it came from.
    var crossfading: KingfisherParsedOptionsInfo {
        var options = self
        options.change { values in
            if case .none = values.transition { values.transition = .fade(0.25) }
            values.forceTransition = true
        }
        return options
    }
}
