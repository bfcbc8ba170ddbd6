import Foundation

struct NetworkConditions: Sendable {
    /// Mean delay of a response, in seconds.
    var delay: TimeInterval = 0.6
    /// The fraction of requests that fail with "503 Service Unavailable", from 0 to 1.
    var failureRate = 0.0

    /// The delay of the response for `target`: half to one and a half of the mean. The same target always has
    /// the same delay, so that images arrive one after another as from a real network.
    func delay(for target: String) -> Duration {
        .seconds(delay * (0.5 + Self.fraction(of: target)))
    }

    /// A hash of `text` from 0 to below 1, the same in every run (FNV-1a).
    static func fraction(of text: String) -> Double {
        let hash = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        // The upper bits of a short text's hash vary little without a second mixing step.
        let mixed = (hash ^ (hash >> 15)) &* 2_246_822_519
        return Double(mixed >> 8) / Double(1 << 24)
    }
}
