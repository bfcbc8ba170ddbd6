/// Remembers the hashes of entries that were evicted not long ago, without the entries.
///
/// Age is counted in weight: an evicted entry is forgotten once it and those evicted after it outweigh what
/// the caller asks for. So nothing has to be taken out: a stamp of the table's own clock tells. Hashes stand
/// in buckets of four; a full bucket gives up its oldest, which bounds the table at four to eight slots a
/// node, with the cost of forgetting few hashes too early. Every operation is O(1), growth amortised.
struct GhostTable: Sendable {
    /// Which part of a cache an entry was evicted from.
    enum Origin: Sendable {
        case small
        case main
    }

    private static let bucketSize = 4

    // By themselves: hashes are looked at for each new entry, and most are not there.
    private var hashes = [UInt32](repeating: 0, count: 16)
    /// Twice the clock when the entry was evicted, and its origin; zero in a slot that was never used.
    private var stamps = [UInt64](repeating: 0, count: 16)
    /// The weight of everything that was ever remembered, and one, modulo 2^63.
    private var clock: UInt64
    private static let clockMask = UInt64.max >> 1

    /// Starts at another weight than none.
    init(clock: UInt64 = 1) {
        self.clock = clock & Self.clockMask
    }

    var slotCount: Int { hashes.count }

    /// Makes the table as large as a cache with this number of entries needs it.
    mutating func makeRoom(forNodes count: Int) {
        guard slotCount < count * Self.bucketSize else { return }
        var target = slotCount
        while target < count * Self.bucketSize { target *= 2 }
        grow(to: target)
    }

    /// Remembers an entry that was just evicted.
    mutating func remember(_ hash: UInt32, weight: Int, from origin: Origin) {
        place(hash, stamp: (clock << 1) | (origin == .main ? 1 : 0))
        clock = (clock &+ UInt64(weight)) & Self.clockMask
    }

    /// Where a hash was evicted from if no more than `reach` was evicted since, itself included; forgets it.
    mutating func recall(_ hash: UInt32, reach: Int) -> Origin? {
        guard let position = position(of: hash) else { return nil }
        let stamp = stamps[position]
        (hashes[position], stamps[position]) = (0, 0)
        let age = (clock &- (stamp >> 1)) & Self.clockMask
        return age <= UInt64(reach) ? (stamp & 1 == 1 ? .main : .small) : nil
    }

    /// Has the bucket of a hash fetched.
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
        // Two keys of one hash are one ghost.
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
