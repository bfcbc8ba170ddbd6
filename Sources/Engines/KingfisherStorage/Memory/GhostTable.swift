/// Remembers the hashes of recently evicted entries, without the entries.
///
/// Age is measured in weight: an entry is forgotten when the weight evicted since then exceeds the caller's
/// `reach`. A stamp of the table's own clock tells the age, so nothing needs to be removed. Hashes are stored
/// in buckets of four. A full bucket drops its oldest hash, which limits the table to four to eight slots per
/// node and forgets few hashes too early. Every operation is O(1), growth amortised.
struct GhostTable: Sendable {
    enum Origin: Sendable {
        case small
        case main
    }

    private static let bucketSize = 4

    // Separate from the stamps: every new entry looks up a hash, and most are absent.
    private var hashes = [UInt32](repeating: 0, count: 16)
    /// Twice the clock at the eviction, plus 1 for the main part; zero in an unused slot.
    private var stamps = [UInt64](repeating: 0, count: 16)
    /// The total weight ever remembered plus 1, modulo 2^63.
    private var clock: UInt64
    private static let clockMask = UInt64.max >> 1

    init(clock: UInt64 = 1) {
        self.clock = clock & Self.clockMask
    }

    var slotCount: Int { hashes.count }

    mutating func makeRoom(forNodes count: Int) {
        guard slotCount < count * Self.bucketSize else { return }
        var target = slotCount
        while target < count * Self.bucketSize { target *= 2 }
        grow(to: target)
    }

    mutating func remember(_ hash: UInt32, weight: Int, from origin: Origin) {
        place(hash, stamp: (clock << 1) | (origin == .main ? 1 : 0))
        clock = (clock &+ UInt64(weight)) & Self.clockMask
    }

    /// The part that a hash was evicted from, if at most `reach` was evicted since then, including itself.
    /// Forgets the hash.
    mutating func recall(_ hash: UInt32, reach: Int) -> Origin? {
        guard let position = position(of: hash) else { return nil }
        let stamp = stamps[position]
        (hashes[position], stamps[position]) = (0, 0)
        let age = (clock &- (stamp >> 1)) & Self.clockMask
        return age <= UInt64(reach) ? (stamp & 1 == 1 ? .main : .small) : nil
    }

    func prefetch(_ hash: UInt32) {
        let start = bucket(of: hash).lowerBound
        Prefetch.element(start, of: hashes)
        Prefetch.element(start, of: stamps)
    }

    private func bucket(of hash: UInt32) -> Range<Int> {
        let start = Int(hash) * Self.bucketSize & (slotCount - 1)
        return start..<(start + Self.bucketSize)
    }

    private func position(of hash: UInt32) -> Int? {
        let bucket = bucket(of: hash)
        return hashes.withUnsafeBufferPointer { hashes in
            for position in bucket where hashes[position] == hash && stamps[position] > 0 {
                return position
            }
            return nil
        }
    }

    private mutating func place(_ hash: UInt32, stamp: UInt64) {
        // Two keys with the same hash share one slot.
        let target = position(of: hash) ?? oldest(in: bucket(of: hash))
        (hashes[target], stamps[target]) = (hash, stamp)
    }

    private func oldest(in bucket: Range<Int>) -> Int {
        stamps.withUnsafeBufferPointer { stamps in
            var oldest = bucket.lowerBound
            for position in bucket where stamps[position] < stamps[oldest] { oldest = position }
            return oldest
        }
    }

    private mutating func grow(to slotCount: Int) {
        let old = (hashes, stamps)
        hashes = Array(repeating: 0, count: slotCount)
        stamps = Array(repeating: 0, count: hashes.count)
        for (hash, stamp) in zip(old.0, old.1) where stamp > 0 { place(hash, stamp: stamp) }
    }
}
