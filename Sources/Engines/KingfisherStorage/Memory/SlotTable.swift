/// An open-addressing index from hashes to nodes, with linear probing, at most half full.
///
/// A slot holds hash and node in eight bytes, so a probe rarely leaves the array and growth needs no keys.
/// Removal shifts the rest of the cluster back instead of leaving tombstones, so the table does not degrade.
/// Every operation is O(1) expected.
@usableFromInline
struct SlotTable: Sendable {
    @usableFromInline
    struct Slot: Sendable {
        @usableFromInline var hash: UInt32
        @usableFromInline var node: UInt32

        @inlinable
        init(hash: UInt32, node: UInt32) {
            self.hash = hash
            self.node = node
        }

        @usableFromInline static var vacant: Slot { Slot(hash: 0, node: .max) }
        @inlinable var isVacant: Bool { node == .max }
    }

    @usableFromInline var slots: [Slot]
    @usableFromInline var count = 0

    init() {
        slots = Array(repeating: .vacant, count: 16)
    }

    @inlinable
    func find(_ hash: UInt32, matches: (Int) -> Bool) -> Int? {
        let mask = slots.count - 1
        var position = Int(hash) & mask
        while true {
            let slot = slots[position]
            if slot.isVacant { return nil }
            if slot.hash == hash, matches(Int(slot.node)) { return Int(slot.node) }
            position = (position + 1) & mask
        }
    }

    @usableFromInline
    mutating func insert(_ hash: UInt32, node: Int) {
        if (count + 1) * 2 > slots.count { grow() }
        place(Slot(hash: hash, node: UInt32(node)))
        count += 1
    }

    @usableFromInline
    mutating func remove(_ hash: UInt32, node: Int) {
        let isRemoved = slots.withUnsafeMutableBufferPointer { slots in
            let mask = slots.count - 1
            var hole = Int(hash) & mask
            while slots[hole].node != UInt32(node) {
                guard !slots[hole].isVacant else { return false }
                hole = (hole + 1) & mask
            }
            var probe = hole
            while true {
                probe = (probe + 1) & mask
                let slot = slots[probe]
                if slot.isVacant { break }
                // A slot must not move before its home position.
                let home = Int(slot.hash) & mask
                if (probe - home) & mask >= (probe - hole) & mask {
                    slots[hole] = slot
                    hole = probe
                }
            }
            slots[hole] = .vacant
            return true
        }
        if isRemoved { count -= 1 }
    }

    @usableFromInline
    func prefetch(_ hash: UInt32) {
        Prefetch.element(Int(hash) & (slots.count - 1), of: slots)
    }

    private mutating func place(_ slot: Slot) {
        let mask = slots.count - 1
        var position = Int(slot.hash) & mask
        while !slots[position].isVacant {
            position = (position + 1) & mask
        }
        slots[position] = slot
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: .vacant, count: old.count * 2)
        for slot in old where !slot.isVacant {
            place(slot)
        }
    }
}
