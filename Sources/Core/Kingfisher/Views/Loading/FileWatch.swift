import KingfisherImage
import KingfisherStorage

/// Loads the image of a target again when its file changes (`.watchesFile`). Owned by the target's
/// `CurrentLoad`, until another source, a cancellation or the end of the target.
@MainActor final class FileWatch {
    private let source: Source
    private let options: KingfisherParsedOptionsInfo
    private let target: @MainActor () -> (any LoadTarget)?
    /// The version that is shown or was last tried; nil after a failure.
    private var version: String?
    private var isLoading = false
    private var watch: WatchedFolders.Watch?

    /// For tests.
    @TaskLocal static var folders = WatchedFolders.shared

    /// Nil if the source is no local file.
    init?(_ load: ViewLoad, _ target: @escaping @MainActor () -> (any LoadTarget)?) {
        guard let path = load.source.filePath else { return nil }
        // Not the load, which has handlers.
        (source, options, self.target) = (load.source, load.options, target)
        // Read before the file: a change during the load is noticed after it.
        version = source.fileVersion
        watch = Self.folders.watch(path.bytes) { [weak self] in
            CallbackQueue.mainAsync.execute { MainActor.assumeIsolated { self?.check() } }
        }
    }

    /// Called when the load of the target has ended.
    func loadDidEnd(isSuccess: Bool) {
        let loaded = version
        // A file that could not be read may be complete at the next report.
        if !isSuccess { version = nil }
        if source.fileVersion != loaded { check() }
    }

    /// Loads the file if it has another version, unless the target is off screen: it calls this again when it
    /// appears. So files that the kernel does not watch are also noticed then.
    func check() {
        guard let target = target() else {
            watch = nil
            return
        }
        guard !isLoading, target.current.watch === self,
            target.current.identifier == nil, target.renderer?.display.isVisible != false,
            let new = source.fileVersion, new != version
        else { return }
        (version, isLoading) = (new, true)
        let size = options.decodesToViewSize ? target.fittedView?.decodedSize : nil
        var options = options.decoding(to: size)
        options.change { values in
            values.callbackQueue = .untouch
            values.disableFailover()
            (values.acceptsPartialImages, values.trustsLocalFiles) = (false, false)
        }
        let renderer = target.renderer
        let plan = RequestPlan(source, options, isCurrent: { [weak self] in self != nil })
        (options.manager ?? .shared).retrieveImage(plan) { [weak self] result in
            if !MainQueue.isCurrent, let image = try? result.get().image { renderer?.prepare(image) }
            CallbackQueue.mainCurrentOrAsync.execute {
                MainActor.assumeIsolated { self?.end(with: result, decodedTo: size) }
            }
        }
    }

    private func end(
        with result: Result<RetrieveImageResult, KingfisherError>, decodedTo size: DecodedSize?
    ) {
        isLoading = false
        guard let target = target(), target.current.watch === self else { return }
        // Otherwise the load of the target reads the file.
        if target.current.identifier == nil, let new = try? result.get(), new.image !== target.shownImage {
            target.display(new, options: options, with: options.crossfading, decodedTo: size)
        }
        loadDidEnd(isSuccess: (try? result.get()) != nil)
    }
}
