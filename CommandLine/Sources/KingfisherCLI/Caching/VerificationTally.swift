import Kingfisher

struct VerificationTally {
    enum Outcome { case kept, removed, replaced }

    private(set) var entries = 0
    private(set) var intact = 0
    private(set) var withoutChecksum = 0
    private(set) var damaged = 0
    private(set) var empty = 0
    private(set) var unreadable = 0
    private(set) var removed = 0
    private(set) var badEntriesLeft = 0
    var foreign = 0

    mutating func add(_ state: DiskStorage.EntryState, _ outcome: Outcome) {
        entries += 1
        if outcome == .removed { removed += 1 }
        switch state {
        case .intact: intact += 1
        case .withoutChecksum: withoutChecksum += 1
        case .damaged: damaged += 1
        case .empty: empty += 1
        case .unreadable: unreadable += 1
        }
        switch state {
        case .intact, .withoutChecksum: break
        case .damaged, .empty, .unreadable: if outcome == .kept { badEntriesLeft += 1 }
        }
    }

    func json(_ folder: String) -> JSONLine {
        JSONLine([
            "folder": .text(folder), "entries": .whole(entries), "ok": .whole(intact),
            "withoutChecksum": .whole(withoutChecksum), "damaged": .whole(damaged), "empty": .whole(empty),
            "unreadable": .whole(unreadable), "foreign": .whole(foreign), "removed": .whole(removed),
        ])
    }

    var text: String {
        "\(entries) entries: \(intact) ok, \(withoutChecksum) without checksum, \(damaged) damaged, "
            + "\(empty) empty, \(unreadable) unreadable; \(removed) removed; \(foreign) foreign names"
    }
}
