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

    private struct Slot: Sendable {
        /// The clock when the entry was evicted; zero in a slot that was never used.
        var stamp: UInt64 = 0
        var hash: UInt32 = 0
        var origin = Origin.small
    }

    private static let bucketSize = 4

    private var slots = Array(repeating: Slot(), count: 16)
    /// The weight of everything that was ever remembered, and one.
    private var clock: UInt64 = 1

    var slotCount: Int { slots.count }

    /// Makes the table as large as a cache with this number of entries needs it.
    mutating func makeRoom(forNodes count: Int) {
        while slots.count < count * Self.bucketSize { grow() }
    }

    /// Remembers an entry that was just evicted.
    mutating func remember(_ hash: UInt32, weight: Int, from origin: Origin) {
        place(Slot(stamp: clock, hash: hash, origin: origin))
        clock &+= UInt64(weight)
    }

    /// Where a hash was evicted from if no more than `reach` was evicted since, itself included; forgets it.
    mutating func recall(_ hash: UInt32, reach: Int) -> Origin? {
        for position in bucket(of: hash) where slots[position].hash == hash && slots[position].stamp > 0 {
            let slot = slots[position]
            slots[position] = Slot()
            return clock - slot.stamp <= UInt64(reach) ? slot.origin : nil
        }
        return nil
    }

    private func bucket(of hash: UInt32) -> Range<Int> {
        let start = Int(hash) * Self.bucketSize & (slots.count - 1)
        return start..<(start + Self.bucketSize)
    }

    private mutating func place(_ slot: Slot) {
        var target = bucket(of: slot.hash).lowerBound
        for position in bucket(of: slot.hash) {
            // Two keys of one hash are one ghost.
            if slots[position].hash == slot.hash, slots[position].stamp > 0 {
                target = position
                break
            }
            if slots[position].stamp < slots[target].stamp { target = position }
        }
        slots[target] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: old.count * 2)
        for slot in old where slot.stamp > 0 { place(slot) }
    }
}
