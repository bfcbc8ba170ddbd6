import KingfisherImage
import KingfisherTransport

/// Something that a cache has for a request, and whose server may have to be asked before it is used.
struct CachedAnswer: Sendable {
    enum Place: Sendable {
        /// The picture that is asked for, as the target cache has it.
        case target(KFCrossPlatformImage)
        /// The unprocessed picture; nil where it was read as bytes.
        case original(KFCrossPlatformImage?)
    }

    let place: Place
    /// Whether it was read from a file for this request.
    var isFromDisk = false
    /// What is known of it; nil for what is used as it is.
    let freshness: HTTPFreshness?
    /// Whether the server can be asked by validators. Where it has confirmed something else it cannot.
    var hasValidators = true
    /// What the caches held when its server was asked; nil where nobody had to be.
    var trace: CacheTrace?
    /// Ends a retrieval with it; see `hand(to:_:)`.
    let end: @Sendable (SourceRetrieval, CachedAnswer, HTTPFreshness?) -> Void

    /// Ends a retrieval with it; what is known of it by then comes along.
    func hand(to retrieval: SourceRetrieval, _ freshness: HTTPFreshness?) { end(retrieval, self, freshness) }

    /// Whether a picture has yet to be made of it.
    var isOriginal: Bool { if case .original = place { true } else { false } }
}
