/// Decides which source a request loads after a failure, and which error it ends with.
///
/// A pure value. The rules, in order:
///
/// 1. A cancellation by the user ends the request.
/// 2. If the network is metered, the low-data source is loaded, once. The retry strategy is not asked,
///    because the low-data source is a substitute, not a further attempt.
/// 3. The retry strategy, if there is one, may restart the request with its first source.
/// 4. The alternatives are loaded in their order.
struct FailoverPlan: Sendable {
    enum Step: Sendable {
        case load(Source)
        /// The retry strategy decides; `step(afterFinal:)` or `restart()` follows.
        case consult
        case fail(KingfisherError)
    }

    private let alternatives: [Source]
    private let lowDataSource: Source?
    private let hasStrategy: Bool
    private var untried: ArraySlice<Source>
    private(set) var hasLowDataSource: Bool
    private var failures: [PropagationError] = []

    init(alternatives: [Source], lowDataSource: Source?, hasStrategy: Bool = false) {
        self.alternatives = alternatives
        self.lowDataSource = lowDataSource
        self.hasStrategy = hasStrategy
        untried = alternatives[...]
        hasLowDataSource = lowDataSource != nil
    }

    mutating func step(after failure: PropagationError) -> Step {
        if failure.error.isUserCancellation { return .fail(failure.error) }
        if failure.error.isConstrained, hasLowDataSource, let source = lowDataSource {
            hasLowDataSource = false
            failures.append(failure)
            return .load(source)
        }
        return hasStrategy ? .consult : step(afterFinal: failure)
    }

    mutating func step(afterFinal failure: PropagationError) -> Step {
        failures.append(failure)
        if let source = untried.popFirst() { return .load(source) }
        // Without alternatives the result is the error of the only source.
        guard !alternatives.isEmpty else { return .fail(failure.error) }
        return .fail(.imageSettingError(reason: .alternativeSourcesExhausted(failures)))
    }

    mutating func restart() {
        self = FailoverPlan(
            alternatives: alternatives, lowDataSource: lowDataSource, hasStrategy: hasStrategy)
    }
}

extension KingfisherError {
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

    /// Makes a propagation error, for tests and other loaders.
    public init(source: Source, error: KingfisherError) {
        self.source = source
        self.error = error
    }
}
