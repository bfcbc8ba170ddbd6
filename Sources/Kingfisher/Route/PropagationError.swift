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
