import KingfisherImage

/// Files that made a decoder fail, which are refused for a while with the same failure.
package struct RefusedFiles {
    private struct Entry {
        var failure: DecoderFailure
        var ends: ContinuousClock.Instant
        var count: Int
    }

    let capacity: Int
    private let duration: Duration
    private var entries: [String: Entry] = [:]
    /// Digests, the oldest first.
    private var order: [String] = []
    /// How many entries have a length: only files of these lengths need a digest.
    private var lengths: [Int: Int] = [:]

    package init(capacity: Int = 1_024, duration: Duration = .seconds(60)) {
        self.capacity = capacity
        self.duration = duration
    }

    package var count: Int { entries.count }

    /// Whether a file of `count` bytes may be refused, so that its digest is needed.
    package func mayRefuse(count: Int) -> Bool { lengths[count] != nil }

    /// The failure of an earlier attempt.
    package mutating func failure(of digest: String, at now: ContinuousClock.Instant) -> DecoderFailure? {
        removeExpired(at: now)
        return entries[digest]?.failure
    }

    package mutating func insert(
        _ digest: String, count: Int, failure: DecoderFailure, at now: ContinuousClock.Instant
    ) {
        removeExpired(at: now)
        remove(digest)
        while entries.count >= capacity, let oldest = order.first { remove(oldest) }
        entries[digest] = Entry(failure: failure, ends: now + duration, count: count)
        order.append(digest)
        lengths[count, default: 0] += 1
    }

    private mutating func removeExpired(at now: ContinuousClock.Instant) {
        while let oldest = order.first, let entry = entries[oldest], entry.ends <= now { remove(oldest) }
    }

    private mutating func remove(_ digest: String) {
        guard let entry = entries.removeValue(forKey: digest) else { return }
        order.removeAll { $0 == digest }
        lengths[entry.count] = lengths[entry.count].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
}
