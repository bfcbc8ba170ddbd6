/// What threads did with one key, with the order that a clock common to all gave: it ticks at
/// every beginning and end.
///
/// Two operations whose times overlap may have taken effect in either order; any other two took
/// effect in theirs.
struct SharedKeyHistory {
    enum What: Equatable {
        case stored(UInt64)
        case removed
        case read(UInt64?)
    }

    struct Event {
        let what: What
        let begin, end: Int
    }

    var events: [Event]

    /// Reads of what nobody had begun to store, and of what something else had wholly replaced.
    var contradictions: [String] {
        let writes = events.filter { if case .read = $0.what { false } else { true } }
        return events.compactMap { read in
            guard case .read(let version) = read.what else { return nil }
            let sources = writes.filter { write in
                switch write.what {
                case .stored(let stored): stored == version && write.begin < read.end
                case .removed: version == nil && write.begin < read.end
                case .read: false
                }
            }
            // Before everything there was nothing.
            let beginning = version == nil ? [Event(what: .removed, begin: -1, end: -1)] : []
            let isPossible = (sources + beginning).contains { source in
                !writes.contains { $0.begin > source.end && $0.end < read.begin && $0.what != source.what }
            }
            return isPossible ? nil : "read \(version.map(String.init) ?? "nothing") at \(read.begin)"
        }
    }
}
