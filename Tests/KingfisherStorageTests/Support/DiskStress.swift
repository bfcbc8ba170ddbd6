import Foundation
import KingfisherTestSupport
import Synchronization

@testable import KingfisherStorage

/// The state of a stress test: the engine, the expected entries of each thread, and the differences found.
struct DiskStress {
    struct Entry {
        let version: UInt64
        var lifetime: TimeInterval
        var expires, used: Date
    }

    struct Thread {
        var entries: [String: Entry] = [:]
        var history: [String: [SharedKeyHistory.Event]] = [:]
        var differences: [String] = []
    }

    let engine: DiskEngine
    let clock: ManualClock
    private(set) var phases = 0, operations = 0
    private(set) var differences: [String] = []
    private var threads = Array(repeating: Thread(), count: 8)
    private var shared: [String: UInt64] = [:]
    private let versions = Counter()
    private let ticks = Counter()

    private static let sharedKeys = (0..<4).map { "shared \($0)" }
    private static let stepsPerPhase = 60

    init(engine: DiskEngine, clock: ManualClock) {
        self.engine = engine
        self.clock = clock
    }

    private static func name(_ key: String) -> EntryName { FileNaming().name(forKey: key) }

    /// From 8 bytes to 4 KB, and rarely 320 KB, which is mapped.
    private static func content(_ version: UInt64) -> Data {
        let words = version % 61 == 0 ? 40_000 : 1 + Int(version % 509)
        return [UInt64](repeating: version, count: words).withUnsafeBytes { Data($0) }
    }

    /// The version of a whole payload, or nil.
    private static func version(_ payload: Data) -> UInt64? {
        guard payload.count >= 8 else { return nil }
        let version = payload.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        return payload == content(version) ? version : nil
    }
}

// MARK: - Phases

extension DiskStress {
    mutating func runPhase(seed: UInt64) async {
        let results = Mutex(threads)
        let before = threads
        let work = self
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let running = Atomic(before.count)
            for index in before.indices {
                Foundation.Thread.detachNewThread {
                    var thread = before[index]
                    var random = SeededGenerator(seed: seed &+ UInt64(index))
                    for _ in 0..<Self.stepsPerPhase {
                        do {
                            try work.step(of: index, &thread, using: &random)
                        } catch {
                            thread.differences.append("\(error)")
                        }
                    }
                    results.withLock { [thread] in $0[index] = thread }
                    if running.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
                        done.resume()
                    }
                }
            }
        }
        threads = results.withLock { $0 }
        phases += 1
        operations += threads.count * Self.stepsPerPhase
        differences += threads.flatMap(\.differences)
        checkHistories()
    }

    private func step(
        of index: Int, _ thread: inout Thread, using random: inout SeededGenerator
    ) throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<60:
            try useOwnKey("\(index): \(Int.random(in: 0..<12, using: &random))", &thread, using: &random)
        case 60..<96: try useSharedKey(&thread, using: &random)
        case 96..<98: _ = try engine.totalSize()
        default: _ = try engine.removeExpired()
        }
    }

    private func useOwnKey(
        _ key: String, _ thread: inout Thread, using random: inout SeededGenerator
    ) throws {
        let now = clock.now
        let name = Self.name(key)
        // Never equal to the current time: the clock advances by whole seconds.
        let lifetime = TimeInterval(Int.random(in: 0...12, using: &random)) + 0.3
        let live = thread.entries[key].flatMap { $0.expires > now ? $0 : nil }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<35:
            let version = UInt64(versions.next())
            try engine.store(Self.content(version), for: name, expiration: .seconds(lifetime))
            thread.entries[key] = Entry(
                version: version, lifetime: lifetime, expires: now + lifetime, used: now)
        case 35..<75:
            let extending: ExpirationExtending =
                [.none, .cacheTime, .expirationTime(.seconds(lifetime))]
                .randomElement(using: &random) ?? .none
            try readOwnKey(key, extending, by: lifetime, expecting: live, &thread)
        case 75..<85:
            if engine.isCached(name) != (live != nil) {
                thread.differences.append("\(key): cached is \(live == nil), expected \(live as Any)")
            }
        case 85..<93:
            try engine.remove(name)
            thread.entries[key] = nil
        default:
            if engine.renew(name, expiration: .seconds(lifetime)) != (live != nil) {
                thread.differences.append("\(key): renewed is \(live == nil), expected \(live as Any)")
            }
            guard var entry = live else { return }
            entry.used = now
            entry.lifetime = lifetime
            entry.expires = now + lifetime
            thread.entries[key] = entry
        }
    }

    private func readOwnKey(
        _ key: String, _ extending: ExpirationExtending, by lifetime: TimeInterval, expecting live: Entry?,
        _ thread: inout Thread
    ) throws {
        let found = try engine.data(for: Self.name(key), extending: extending)
        if found != live.map({ Self.content($0.version) }) {
            thread.differences.append("\(key): read \(found?.count ?? -1) bytes, expected \(live as Any)")
        }
        guard var entry = live else { return }
        entry.used = clock.now
        if case .expirationTime = extending { entry.lifetime = lifetime }
        if case .none = extending {} else { entry.expires = clock.now + entry.lifetime }
        thread.entries[key] = entry
    }

    private func useSharedKey(_ thread: inout Thread, using random: inout SeededGenerator) throws {
        let key = Self.sharedKeys.randomElement(using: &random) ?? ""
        let choice = Int.random(in: 0..<100, using: &random)
        let version = UInt64(versions.next())
        let begin = ticks.next()
        let action: SharedKeyHistory.Action
        switch choice {
        case 0..<30:
            try engine.store(Self.content(version), for: Self.name(key), expiration: .never)
            action = .stored(version)
        case 30..<40:
            try engine.remove(Self.name(key))
            action = .removed
        default:
            let found = try engine.data(for: Self.name(key))
            action = .read(found.flatMap(Self.version))
            if found != nil, action == .read(nil) { thread.differences.append("\(key): torn") }
        }
        thread.history[key, default: []].append(.init(action: action, begin: begin, end: ticks.next()))
    }
}

// MARK: - At rest

extension DiskStress {
    private mutating func checkHistories() {
        for key in Self.sharedKeys {
            var events = threads.flatMap { $0.history[key] ?? [] }
            if let version = shared[key] { events.append(.init(action: .stored(version), begin: 0, end: 0)) }
            differences += SharedKeyHistory(events: events).contradictions.map { "\(key): \($0)" }
        }
        for index in threads.indices { threads[index].history = [:] }
    }

    /// Compares the folder with all models, then sometimes shrinks or empties it.
    mutating func compareAtRest(using random: inout SeededGenerator) throws {
        let now = clock.now
        shared = [:]
        for key in Self.sharedKeys {
            shared[key] = try engine.data(for: Self.name(key)).flatMap(Self.version)
        }
        _ = try engine.removeExpired()
        for index in threads.indices {
            threads[index].entries = threads[index].entries.filter { $0.value.expires > now }
        }
        let own = threads.flatMap { $0.entries.map { $0 } }
        let sizes = (own.map(\.value.version) + shared.values).map { UInt64(Self.content($0).count) }
        let total = sizes.reduce(0, +)
        let found = try engine.totalSize()
        if found != total { differences.append("\(found) bytes, expected \(total)") }

        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            try engine.removeAll()
            if try engine.totalSize() != 0 { differences.append("not empty after the removal of all") }
            for index in threads.indices { threads[index].entries = [:] }
            shared = [:]
        case 1 where total > 0:
            let removed = Set(try engine.removeSizeExceeded(limit: total))
            let isRemoved = { (key: String) in removed.contains(Self.name(key).rawValue) }
            let kept = own.filter { !isRemoved($0.key) }
            let oldestKept = kept.map(\.value.used).min() ?? .distantFuture
            // File times are rounded to nanoseconds.
            let wrong = own.filter { isRemoved($0.key) && $0.value.used > oldestKept + 1e-6 }
            differences += wrong.map { "\($0.key): removed before one that was used earlier" }
            if try engine.totalSize() > total / 2 { differences.append("not shrunk to half") }
            for index in threads.indices {
                threads[index].entries = threads[index].entries.filter { !isRemoved($0.key) }
            }
            shared = shared.filter { !isRemoved($0.key) }
        default: break
        }
    }
}
