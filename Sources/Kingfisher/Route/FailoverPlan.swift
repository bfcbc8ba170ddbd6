/// Decides what a request turns to when a source has failed, and which error it ends with.
///
/// A pure value. A cancellation by the user ends the request at once. On a metered network the low-data
/// source comes next, once: it is a substitute rather than an attempt that failed, so nobody is asked about
/// it. Any other failure goes to the retry strategy, if there is one; when that lets it stand, the
/// alternatives follow in their order.
struct FailoverPlan: Sendable {
    enum Step: Sendable {
        case load(Source)
        /// The retry strategy decides; `step(afterStanding:)` or `restart()` follows.
        case consult
        case fail(KingfisherError)
    }

    private let alternatives: [Source]
    private let lowDataSource: Source?
    private let hasStrategy: Bool
    private var untried: ArraySlice<Source>
    /// Whether there is a low-data source that was not tried yet.
    private(set) var hasLowDataSource: Bool
    private var failures: [PropagationError] = []

    init(alternatives: [Source], lowDataSource: Source?, hasStrategy: Bool = false) {
        self.alternatives = alternatives
        self.lowDataSource = lowDataSource
        self.hasStrategy = hasStrategy
        untried = alternatives[...]
        hasLowDataSource = lowDataSource != nil
    }

    /// What to do after one source's failure.
    mutating func step(after failure: PropagationError) -> Step {
        if failure.error.isUserCancellation { return .fail(failure.error) }
        if failure.error.isConstrained, hasLowDataSource, let source = lowDataSource {
            hasLowDataSource = false
            failures.append(failure)
            return .load(source)
        }
        return hasStrategy ? .consult : step(afterStanding: failure)
    }

    /// What to do after a failure that nobody wants to undo. Each alternative is handed out once.
    mutating func step(afterStanding failure: PropagationError) -> Step {
        failures.append(failure)
        if let source = untried.popFirst() { return .load(source) }
        // Who named no alternatives looks for the cause itself.
        guard !alternatives.isEmpty else { return .fail(failure.error) }
        return .fail(.imageSettingError(reason: .alternativeSourcesExhausted(failures)))
    }

    /// Begins again with the source that was asked for: everything that may stand in for it may do so once
    /// more, and what has failed so far is forgotten.
    mutating func restart() {
        self = FailoverPlan(
            alternatives: alternatives, lowDataSource: lowDataSource, hasStrategy: hasStrategy)
    }
}

extension KingfisherError {
    /// Whether the caller gave the load up, so that nothing else may be loaded in its place.
    var isUserCancellation: Bool {
        switch self {
        case .requestError(.taskCancelled), .requestError(.dataProviderCancelled),
            .requestError(.asyncTaskContextCancelled):
            true
        default: false
        }
    }
}

/// Why one of several sources failed.
public struct PropagationError: Sendable {
    /// The source that was tried.
    public let source: Source
    /// What it failed with.
    public let error: KingfisherError

    /// Joins the two, for tests and other loaders.
    public init(source: Source, error: KingfisherError) {
        self.source = source
        self.error = error
    }
}
