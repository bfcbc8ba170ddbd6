import Dispatch
import KingfisherConcurrency
import Synchronization

/// Tells which names a folder certainly does not have, without looking at it: a Bloom filter with two bytes a
/// name. Safe from any thread.
///
/// A scan fills it; own writes and those of other processes (`FolderWatch`) are added. Removed names stay
/// until the next scan, so that it can be wrong in one direction only: a name that it does not rule out need
/// not be there. Names of other processes' files may be missing: for a moment, and until the next scan on
/// file systems that other hosts write to, or where the folder was replaced by one that the kernel does not
/// report (a parent renamed, a mount). So it may start a download, and nothing else may depend on it.
final class NameFilter: Sendable {
    private enum Contents: Sendable {
        /// Nothing is known.
        case none
        /// A scan is under way; these names have come meanwhile.
        case filling([UInt64])
        case names(NameBits)
    }

    private struct State: Sendable {
        var contents = Contents.none
        /// The folder's number with the watch; nil without one.
        var number: CInt?
        /// Names removed since the last scan.
        var removals = 0
        /// Names of own writes since events were read for them.
        var writes = 0
        /// When a scan for this filter may be asked for.
        var nextFill = ContinuousClock.now
        /// Whether a filter is wanted.
        var isOn = true
    }

    private static let leastSecondsBetweenFills = 60
    /// The kernel keeps 16,384 events unless it is told otherwise, and own writes are among them.
    private static let writesBetweenReads = 1_024

    private let state = Mutex(State())
    private let watch: FolderWatch

    init(watch: FolderWatch = .shared) { self.watch = watch }

    deinit {
        // Not here: the last reference may be released under a lock.
        guard let number = state.withLock(\.number) else { return }
        DispatchQueue.global(qos: .utility).async { [watch] in watch.end(number, for: nil) }
    }

    var isReady: Bool {
        state.withLock { if case .names = $0.contents { true } else { false } }
    }

    /// Whether a scan of the folder would make the filter better by much.
    var wantsFill: Bool {
        state.withLock { state in
            guard state.isOn, watch.isAvailable, state.nextFill <= .now else { return false }
            switch state.contents {
            case .none: return true
            case .filling: return false
            case .names(let names): return names.isCrowded || state.removals > names.capacity / 2
            }
        }
    }

    /// Whether the folder has no such name; false where that is not known. Reads the events of other
    /// processes, but not the folder.
    func rulesOut(_ name: UInt64) -> Bool {
        guard isReady, watch.takeEvents() else { return false }
        return state.withLock { state in
            if case .names(let names) = state.contents { !names.mayContain(name) } else { false }
        }
    }

    /// Adds a name that is about to appear.
    func insert(_ name: UInt64) {
        state.withLock { state in
            switch state.contents {
            case .none: break
            case .filling(var names):
                // Not copied while it grows.
                state.contents = .none
                names.append(name)
                state.contents = .filling(names)
            case .names(var names):
                state.contents = .none
                names.insert(name)
                state.contents = .names(names)
            }
        }
    }

    /// Adds the name of an own write. Reads events now and then, because programs that write many files and
    /// look for none would lose them otherwise.
    func noteWrite(_ name: UInt64) {
        insert(name)
        let isDue = state.withLock { state in
            guard state.number != nil else { return false }
            state.writes = (state.writes + 1) % Self.writesBetweenReads
            return state.writes == 0
        }
        if isDue { takeEvents() }
    }

    func noteRemoval() { state.withLock { $0.removals += 1 } }

    /// Knows nothing until the next scan.
    ///
    /// - Parameters:
    ///   - isUrgent: Whether that may come at once: the folder has been emptied.
    ///   - number: The folder that this is about, if it has been replaced since.
    func clear(isUrgent: Bool = false, ifWatching number: CInt? = nil) {
        let old = state.withLock { state -> Contents in
            guard number == nil || number == state.number else { return .none }
            defer {
                state.contents = .none
                if isUrgent { state.nextFill = .now }
            }
            return state.contents
        }
        withExtendedLifetime(old) {}
    }

    /// Turns the filter on, which wants a scan then, or off.
    func turn(on isOn: Bool) {
        let old = state.withLock { state in
            defer {
                if state.isOn != isOn { state.nextFill = .now }
                state.isOn = isOn
                if !isOn { state.contents = .none }
            }
            return state.contents
        }
        withExtendedLifetime(old) {}
    }

    /// Says that a scan begins; names that come from now on are added to what it finds.
    func beginFill(of directory: String) {
        guard state.withLock(\.isOn) else { return }
        // Before the names are read, so that none is missed.
        let number = watch.begin(directory, for: self)
        let (old, oldNumber) = state.withLock { state in
            defer {
                state.number = number
                state.contents = number == nil || !state.isOn ? .none : .filling([])
                state.nextFill = .now + .seconds(Self.leastSecondsBetweenFills)
            }
            return (state.contents, state.number)
        }
        withExtendedLifetime(old) {}
        if let oldNumber, oldNumber != number { watch.end(oldNumber, for: self) }
    }

    /// Reads events, which are lost when too many wait for the end of a scan.
    func takeEvents() { _ = watch.takeEvents() }

    /// Says that a scan has failed.
    func abandonFill() {
        state.withLock { $0.nextFill = .now + .seconds(Self.leastSecondsBetweenFills) }
        clear()
    }

    /// Says what a scan has found.
    func endFill(_ found: some Collection<UInt64>) {
        guard state.withLock({ if case .filling = $0.contents { true } else { false } }) else { return }
        var names = NameBits(capacity: found.count + found.count / 4)
        for name in found { names.insert(name) }
        state.withLock { state in
            guard case .filling(let latest) = state.contents else { return }
            for name in latest { names.insert(name) }
            (state.contents, state.removals) = (.names(names), 0)
            state.nextFill = .now + .seconds(Self.leastSecondsBetweenFills)
        }
    }
}

/// A Bloom filter of 64-bit hashes that are well distributed: 16 bits and seven probes a name, so that one of
/// 1,500 other names is not ruled out when it is full.
///
/// Probes by double hashing: A. Kirsch, M. Mitzenmacher, "Less Hashing, Same Performance", 2006.
struct NameBits: Sendable {
    /// The names that it is made for.
    let capacity: Int
    private(set) var count = 0
    private var words: [UInt64]

    private static let probes = 7 as UInt64
    private static let bitsPerName = 16

    init(capacity: Int) {
        self.capacity = max(capacity, 1_024)
        words = Array(repeating: 0, count: (self.capacity * Self.bitsPerName + 63) / 64)
    }

    /// Whether it has twice the names that it was made for: it rules out 96 of 100 others then.
    var isCrowded: Bool { count > 2 * capacity }

    mutating func insert(_ name: UInt64) {
        var isNew = false
        for probe in 0..<Self.probes {
            let (word, bit) = place(of: name, probe)
            isNew = isNew || words[word] & bit == 0
            words[word] |= bit
        }
        if isNew { count += 1 }
    }

    func mayContain(_ name: UInt64) -> Bool {
        (0..<Self.probes).allSatisfy { probe in
            let (word, bit) = place(of: name, probe)
            return words[word] & bit != 0
        }
    }

    private func place(of name: UInt64, _ probe: UInt64) -> (word: Int, bit: UInt64) {
        let step = (name << 32 | name >> 32) | 1
        let hash = name &+ probe &* step
        let index = hash.multipliedFullWidth(by: UInt64(words.count * 64)).high
        return (Int(index / 64), 1 << (index % 64))
    }
}
