import Synchronization

/// Where the file of a request came from.
package enum Outcome: Int, CaseIterable, Sendable {
    case memory, disk
    /// The same machine was loading it already.
    case joined
    case shared
    /// From the shared tier, stale.
    case stale
    case built
    /// The origin said that there is no image.
    case failed
    /// The failure was known.
    case knownFailure
    /// The machine was lost before it answered.
    case lost
}

/// What happened in a part of a simulation.
package struct Counts: Sendable {
    package internal(set) var requests = 0
    package internal(set) var outcomes = [Int](repeating: 0, count: Outcome.allCases.count)
    /// Requests of the origin, including those for missing images and renewals.
    package internal(set) var fetches = 0
    package internal(set) var builds = 0
    package internal(set) var renewals = 0
    package internal(set) var wrongImages = 0
    package internal(set) var slowestRead = 0.0
    /// Seconds from a request to its answer, without those of memory and disk.
    package internal(set) var times: [Double] = []
    /// Reads of the tier by outcome: `hit`, and the reasons of misses.
    package internal(set) var readings: [String: Int] = [:]
    package internal(set) var writes = 0
    package internal(set) var failedWrites: [String: Int] = [:]

    package subscript(_ outcome: Outcome) -> Int { outcomes[outcome.rawValue] }

    package func share(_ outcomes: Outcome...) -> Double {
        Double(outcomes.reduce(0) { $0 + self[$1] }) / Double(max(1, requests))
    }
}

/// Counts what happens, in all and in each window. Safe from any thread.
final class Tally: Sendable {
    struct State: Sendable {
        var total = Counts()
        var windows: [Counts] = []
        var buildsByImage: [Int]
        /// Fetches in each second.
        var fetchesBySecond: [Int]
        /// Reads of the tier that found an image of before an invalidation, and when the last one was.
        var outdated = 0
        var lastOutdated = 0.0
    }

    static let window = 10.0

    private let warmUp: Double
    private let time: VirtualTime
    private let state: Mutex<State>

    init(_ settings: FleetSettings, _ time: VirtualTime) {
        warmUp = settings.warmUp
        self.time = time
        let seconds = Int(settings.duration) + 120
        state = Mutex(
            State(
                windows: Array(repeating: Counts(), count: seconds / Int(Self.window) + 1),
                buildsByImage: Array(repeating: 0, count: settings.images),
                fetchesBySecond: Array(repeating: 0, count: seconds + 1)))
    }

    var result: State { state.withLock { $0 } }

    /// - Parameter began: The time of the request that this belongs to, which decides where it is counted.
    func count(at began: Double, _ change: (inout Counts) -> Void) {
        state.withLock { state in
            if began >= warmUp { change(&state.total) }
            let window = min(Int(began / Self.window), state.windows.count - 1)
            change(&state.windows[window])
        }
    }

    func end(_ outcome: Outcome, _ began: Double) {
        let now = time.seconds
        count(at: began) { counts in
            counts.outcomes[outcome.rawValue] += 1
            if outcome != .memory, outcome != .disk { counts.times.append(now - began) }
        }
    }

    func fetched() {
        let now = time.seconds
        count(at: now) { $0.fetches += 1 }
        state.withLock { $0.fetchesBySecond[min(Int(now), $0.fetchesBySecond.count - 1)] += 1 }
    }

    func outdated() {
        let now = time.seconds
        state.withLock { state in
            state.outdated += 1
            state.lastOutdated = now
        }
    }

    func built(_ image: Int, isRenewal: Bool) {
        count(at: time.seconds) { counts in
            counts.builds += 1
            counts.renewals += isRenewal ? 1 : 0
        }
        state.withLock { $0.buildsByImage[image] += 1 }
    }
}
