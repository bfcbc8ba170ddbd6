import KingfisherTransport

/// Hands the version of a local file to `ImageCache.storeToDisk`, which has no parameter for it, because
/// subclasses override it.
struct HandedVersion: Sendable {
    private let computedKey: String
    private let freshness: HTTPFreshness

    @TaskLocal private static var current: HandedVersion?

    /// The freshness that was handed to the calls of `storeToDisk` that are running now, for this key.
    static func freshness(forComputedKey key: String) -> HTTPFreshness? {
        current.flatMap { $0.computedKey == key ? $0.freshness : nil }
    }

    static func hand(_ freshness: HTTPFreshness?, forComputedKey key: String, to store: () -> Void) {
        $current.withValue(freshness.map { HandedVersion(computedKey: key, freshness: $0) }, operation: store)
    }

    nonisolated(nonsending) static func hand(
        _ freshness: HTTPFreshness?, forComputedKey key: String,
        to store: nonisolated(nonsending) () async throws -> Void
    ) async throws {
        try await $current.withValue(
            freshness.map { HandedVersion(computedKey: key, freshness: $0) }, operation: store)
    }
}
