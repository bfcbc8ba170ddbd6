import Foundation

/// How the server behaves towards the gallery's requests; the user sets it in the header.
struct NetworkConditions: Sendable {
    /// Seconds until an answer begins, on average.
    var delay: TimeInterval = 0.6
    /// The share of requests that are answered with "503 Service Unavailable", from 0 to 1.
    var failureRate = 0.0

    /// The time that the answer for `target` takes to begin: half to one and a half of the average, always
    /// the same for one target, so that images come one after another as from a real network.
    func delay(for target: String) -> Duration {
        .seconds(delay * (0.5 + Self.fraction(of: target)))
    }

    /// A number from 0 to below 1 that belongs to `text`, the same in every run (FNV-1a).
    static func fraction(of text: String) -> Double {
        let hash = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        // The upper bits of a short text vary little until they are mixed once more.
        let mixed = (hash ^ (hash >> 15)) &* 2_246_822_519
        return Double(mixed >> 8) / Double(1 << 24)
    }
}
