import Synchronization

extension KF {
    /// Describes a load step by step, then starts it in a view.
    ///
    ///     KF.url(url)
    ///         .placeholder(image)
    ///         .setProcessor(RoundCornerImageProcessor(cornerRadius: 20))
    ///         .fade(duration: 0.25)
    ///         .onFailure { error in print(error) }
    ///         .set(to: imageView)
    ///
    /// A reference type: every modifier changes this builder and returns it. It can be set to any number of
    /// views; each load uses the options at that time. Safe from any thread, but of two concurrent modifiers
    /// one may be lost.
    public final class Builder: KFOptionSetter, Sendable {
        private struct State: Sendable {
            var options: KingfisherParsedOptionsInfo
            var placeholder: @MainActor @Sendable () -> (any Placeholder)? = { nil }
        }

        let source: Source?
        private let state: Mutex<State>

        /// Called on the main actor with the error of a failed load; its target is held weakly.
        public let onFailureDelegate = Delegate<KingfisherError, Void>()
        /// Called on the main actor with the result of a successful load; its target is held weakly.
        public let onSuccessDelegate = Delegate<RetrieveImageResult, Void>()
        /// Called on the main actor with bytes received and expected; its target is held weakly.
        public let onProgressDelegate = Delegate<(Int64, Int64), Void>()

        init(source: Source?, manager: KingfisherManager) {
            self.source = source
            state = Mutex(State(options: KingfisherParsedOptionsInfo(defaultsOf: manager)))
        }

        /// The options of the load.
        public var options: KingfisherParsedOptionsInfo {
            get { state.withLock(\.options) }
            set { state.withLock { $0.options = newValue } }
        }

        /// The placeholder of the view. A closure, because a placeholder may be a view, which is isolated to
        /// the main actor.
        var placeholder: @MainActor @Sendable () -> (any Placeholder)? {
            get { state.withLock(\.placeholder) }
            set { state.withLock { $0.placeholder = newValue } }
        }
    }
}

extension KingfisherParsedOptionsInfo {
    /// The options with which a setter of `manager` starts.
    init(defaultsOf manager: KingfisherManager) {
        let defaults = manager.defaultOptions
        self.init(defaults)
        // Unless the defaults set it, the original cache follows the final target cache.
        let isNamed = defaults.contains { if case .originalCache = $0 { true } else { false } }
        if !isNamed { self.originalCache = nil }
        self.manager = manager
    }
}
