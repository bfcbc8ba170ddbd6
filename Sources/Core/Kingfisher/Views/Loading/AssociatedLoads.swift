/// The loads of objects that cannot store one: classes that a program makes `KingfisherImageSettable`.
///
/// Holds objects weakly, as a running load does. A load that outlives its object has its own reference to its
/// entry's value, so the entry of a dead object is unused; it is removed before the table grows.
@MainActor struct AssociatedLoads {
    static var shared = AssociatedLoads()

    private struct Entry {
        weak var owner: AnyObject?
        let load: CurrentLoad
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var sweepsAt: Int
    private let smallestSweep: Int

    /// `smallestSweep` is the number of entries below which dead ones are not removed.
    init(smallestSweep: Int = 64) {
        self.smallestSweep = smallestSweep
        sweepsAt = smallestSweep
    }

    var count: Int { entries.count }

    subscript(owner: AnyObject) -> CurrentLoad? {
        // A new object may have the address of a dead one.
        guard let entry = entries[ObjectIdentifier(owner)], entry.owner === owner else { return nil }
        return entry.load
    }

    mutating func load(of owner: AnyObject) -> CurrentLoad {
        if let load = self[owner] { return load }
        if entries.count >= sweepsAt {
            entries = entries.filter { $0.value.owner != nil }
            // Twice the number of live entries, for an amortised constant cost per entry.
            sweepsAt = max(smallestSweep, entries.count * 2)
        }
        let load = CurrentLoad()
        entries[ObjectIdentifier(owner)] = Entry(owner: owner, load: load)
        return load
    }
}
