/// The operations of several threads on one key, with times of a common logical clock that ticks at
/// each start and end.
///
/// Two operations that overlap may have taken effect in either order; any others took effect in the order
/// of their times.
struct SharedKeyHistory {
    enum Action: Equatable {
        case stored(UInt64)
        case removed
        case read(UInt64?)
    }

    struct Event {
        let action: Action
        let begin, end: Int
    }

    var events: [Event]

    /// Reads of values whose store had not begun, or that another operation had fully replaced.
    var contradictions: [String] {
        let writes = events.filter { if case .read = $0.action { false } else { true } }
        return events.compactMap { read in
            guard case .read(let version) = read.action else { return nil }
            let sources = writes.filter { write in
                switch write.action {
                case .stored(let stored): stored == version && write.begin < read.end
                case .removed: version == nil && write.begin < read.end
                case .read: false
                }
            }
            // At first there is no value.
            let beginning = version == nil ? [Event(action: .removed, begin: -1, end: -1)] : []
            let isPossible = (sources + beginning).contains { source in
                !writes.contains {
                    $0.begin > source.end && $0.end < read.begin && $0.action != source.action
                }
            }
            return isPossible ? nil : "read \(version.map(String.init) ?? "nothing") at \(read.begin)"
        }
    }
}
