/// Decides which source a request turns to when one has failed, and which error it ends with.
///
/// A pure value. On a metered network the low-data source comes next, once; after any other failure the alternatives
/// do, in their order. A cancellation by the user ends the request at once.
struct FailoverPlan: Sendable {
    enum Step: Sendable {
        case load(Source)
        case fail(KingfisherError)
    }

    private var lowDataSource: Source?
    private var alternatives: ArraySlice<Source>
    private let hadAlternatives: Bool
    private var failures: [PropagationError] = []

    init(alternatives: [Source], lowDataSource: Source?) {
        self.lowDataSource = lowDataSource
        self.alternatives = alternatives[...]
        hadAlternatives = !alternatives.isEmpty
    }

    /// Whether there is a low-data source that was not tried yet.
    var hasLowDataSource: Bool { lowDataSource != nil }

    /// What to do after one source's failure. Each alternative is handed out once.
    mutating func step(after failure: PropagationError) -> Step {
        if failure.error.isUserCancellation { return .fail(failure.error) }
        failures.append(failure)
        if failure.error.isConstrained, let source = lowDataSource.take() { return .load(source) }
        if let source = alternatives.popFirst() { return .load(source) }
        // Who named no alternatives looks for the cause itself.
        guard hadAlternatives else { return .fail(failure.error) }
        return .fail(.imageSettingError(reason: .alternativeSourcesExhausted(failures)))
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
