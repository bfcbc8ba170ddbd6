import Dispatch
import KingfisherConcurrency
import Synchronization

/// Tells which names are certainly not in a folder, without disk access: a Bloom filter with two bytes per
/// name. Safe to use from any thread.
///
/// A scan fills it; writes by this process and by others (`FolderWatch`) are added. Removed names stay until
/// the next scan, so a name that is not ruled out may still be absent. A name that another process has added
/// may be missing: for a moment, or until the next scan if another host writes to the file system or if the
/// folder was replaced in a way that the kernel does not report (renamed parent, mount). So a wrong result
/// may start a download, and nothing else may depend on it.
final class NameFilter: Sendable {
    private enum Contents: Sendable {
        case none
        /// A scan is in progress; these names were added since it started.
        case filling([UInt64])
        case names(NameBits)
    }

    private struct State: Sendable {
        var contents = Contents.none
        var watchDescriptor: CInt?
        var removals = 0
        var writesSinceRead = 0
        var nextFill = ContinuousClock.now
        var isOn = true
    }

    private static let leastSecondsBetweenFills = 60
    /// The kernel queues 16,384 events by default, including events of own writes.
    private static let writesBetweenReads = 1_024

    private let state = Mutex(State())
    private let watch: FolderWatch

    init(watch: FolderWatch = .shared) { self.watch = watch }

    deinit {
        // Asynchronously, because the last reference may be released under a lock.
        guard let number = state.withLock(\.watchDescriptor) else { return }
        DispatchQueue.global(qos: .utility).async { [watch] in watch.end(number, for: nil) }
    }

    var isReady: Bool {
        state.withLock { if case .names = $0.contents { true } else { false } }
    }

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

    func rulesOut(_ name: UInt64) -> Bool {
        guard isReady, watch.takeEvents() else { return false }
        return state.withLock { state in
            if case .names(let names) = state.contents { !names.mayContain(name) } else { false }
        }
    }

    func insert(_ name: UInt64) {
        state.withLock { state in
            switch state.contents {
            case .none: break
            case .filling(var names):
                // Reset first, so that the array is unique and not copied.
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

    /// Adds the name of an own write. Reads events from time to time, because the kernel's queue would
    /// overflow in programs that write many files and query none.
    func noteWrite(_ name: UInt64) {
        insert(name)
        let isDue = state.withLock { state in
            guard state.watchDescriptor != nil else { return false }
            state.writesSinceRead = (state.writesSinceRead + 1) % Self.writesBetweenReads
            return state.writesSinceRead == 0
        }
        if isDue { takeEvents() }
    }

    func noteRemoval() { state.withLock { $0.removals += 1 } }

    /// Forgets all names until the next scan.
    ///
    /// - Parameters:
    ///   - isUrgent: Whether a scan may start immediately, because the folder was emptied.
    ///   - number: If not nil, clears only if this watch descriptor is current.
    func clear(isUrgent: Bool = false, ifWatching number: CInt? = nil) {
        state.release { state -> Contents in
            guard number == nil || number == state.watchDescriptor else { return .none }
            defer {
                state.contents = .none
                if isUrgent { state.nextFill = .now }
            }
            return state.contents
        }
    }

    func turn(on isOn: Bool) {
        state.release { state in
            defer {
                if state.isOn != isOn { state.nextFill = .now }
                state.isOn = isOn
                if !isOn { state.contents = .none }
            }
            return state.contents
        }
    }

    func beginFill(of directory: String) {
        guard state.withLock(\.isOn) else { return }
        // Before the scan reads names, so that none is missed.
        let number = watch.begin(directory, for: self)
        let (old, oldNumber) = state.withLock { state in
            defer {
                state.watchDescriptor = number
                state.contents = number == nil || !state.isOn ? .none : .filling([])
                state.nextFill = .now + .seconds(Self.leastSecondsBetweenFills)
            }
            return (state.contents, state.watchDescriptor)
        }
        withExtendedLifetime(old) {}
        if let oldNumber, oldNumber != number { watch.end(oldNumber, for: self) }
    }

    /// Reads the pending events during a scan, before the kernel's queue overflows.
    func takeEvents() { _ = watch.takeEvents() }

    func abandonFill() {
        state.withLock { $0.nextFill = .now + .seconds(Self.leastSecondsBetweenFills) }
        clear()
    }

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

/// A Bloom filter of well distributed 64-bit hashes, with 16 bits and seven probes per name. When it is full,
/// one of 1,500 absent names is a false positive.
///
/// Probes by double hashing: A. Kirsch, M. Mitzenmacher, "Less Hashing, Same Performance", 2006.
struct NameBits: Sendable {
    let capacity: Int
    private(set) var count = 0
    private var words: [UInt64]

    private static let probes = 7 as UInt64
    private static let bitsPerName = 16

    init(capacity: Int) {
        self.capacity = max(capacity, 1_024)
        words = Array(repeating: 0, count: (self.capacity * Self.bitsPerName + 63) / 64)
    }

    /// Whether the filter holds twice its capacity. It then rules out 96 % of absent names.
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
