/// The loads of objects that have no room for one: every class that a program makes
/// `KingfisherImageSettable`.
///
/// Keeps no object alive. A load under way keeps its object by itself, so a dead object's entry is of no use;
/// it goes when the table would have to grow.
@MainActor struct AssociatedLoads {
    static var shared = AssociatedLoads()

    private struct Entry {
        weak var owner: AnyObject?
        let load: CurrentLoad
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    private var sweepsAt: Int
    private let smallestSweep: Int

    /// `smallestSweep` is the number of entries below which dead ones are left alone.
    init(smallestSweep: Int = 64) {
        self.smallestSweep = smallestSweep
        sweepsAt = smallestSweep
    }

    var count: Int { entries.count }

    /// The load of `owner`; nil if it never had one.
    subscript(owner: AnyObject) -> CurrentLoad? {
        // The address of a dead object may be that of a new one.
        guard let entry = entries[ObjectIdentifier(owner)], entry.owner === owner else { return nil }
        return entry.load
    }

    /// The load of `owner`, made on first use.
    mutating func load(of owner: AnyObject) -> CurrentLoad {
        if let load = self[owner] { return load }
        if entries.count >= sweepsAt {
            entries = entries.filter { $0.value.owner != nil }
            // Twice what is alive, so that sweeping costs each new entry a constant share.
            sweepsAt = max(smallestSweep, entries.count * 2)
        }
        let load = CurrentLoad()
        entries[ObjectIdentifier(owner)] = Entry(owner: owner, load: load)
        return load
    }
}
