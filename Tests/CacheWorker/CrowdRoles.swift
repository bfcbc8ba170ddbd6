import Foundation
import Glibc
import KingfisherStorage
import Synchronization

/// A folder with very many entries: how long opening it takes, and how its first scan delays
/// concurrent reads and writes.
struct CrowdRoles {
    let folder: String
    let count: Int

    init(folder: String, count: String) throws {
        guard let count = Int(count) else { throw CacheWorker.WrongUse() }
        self.folder = folder
        self.count = count
    }

    private static let payload = Data(repeating: 7, count: 3_000)

    func fill() throws {
        let engine = DiskEngine(directory: folder)
        try engine.prepare()
        for key in 0..<count {
            try engine.store(Self.payload, for: FolderCheck.name(of: key), expiration: .days(7))
        }
    }

    /// Opens the folder ten times and makes calls during each first scan; then makes the same number of calls
    /// beside an equally busy thread, to separate the scan's effect from the machine's.
    ///
    /// Fails if opening takes five milliseconds, or if in nine rounds of ten more calls were blocked for
    /// two milliseconds during the scan than beside that thread. Chance does this once in a hundred times.
    func measure() throws {
        var openings: [Double] = [], scans: [Double] = [], rounds: [(Int, Int)] = []
        var beside = CallTimes(), control = CallTimes()
        for _ in 0..<10 {
            let held = (beside.held, control.held)
            let start = ContinuousClock.now
            let engine = DiskEngine(directory: folder)
            try engine.prepare()
            openings.append((ContinuousClock.now - start) / .seconds(1))
            var calls = 0
            while engine.statistics.entries < count {
                try use(engine, &beside)
                calls += 1
                guard ContinuousClock.now - start < .seconds(60) else { throw CacheWorker.WrongUse() }
            }
            scans.append((ContinuousClock.now - start) / .seconds(1))
            let other = BusyThread()
            for _ in 0..<calls { try use(engine, &control) }
            other.stop()
            rounds.append((beside.held - held.0, control.held - held.1))
        }
        let opening = CallTimes.percentile(0.5, of: openings), scan = CallTimes.percentile(0.5, of: scans)
        report("opening \(count) entries: median \(text(opening)), longest \(text(openings.max() ?? 0))")
        report("first scan: median \(text(scan))")
        for (name, times) in [("beside the scan", beside), ("beside a busy thread", control)] {
            report("\(name), \(times.taken.count) calls: \(summary(times.taken))")
            report("\(name), blocked: \(summary(times.blocked))")
        }
        let counts = rounds.map { "\($0.0) and \($0.1)" }.joined(separator: ", ")
        report("blocked for more than 2 ms, by rounds: \(counts)")
        guard opening < 0.005, rounds.count(where: { $0.0 > $0.1 }) < 9 else { exit(1) }
    }

    private func use(_ engine: DiskEngine, _ times: inout CallTimes) throws {
        let key = FolderCheck.name(of: .random(in: 0..<count))
        try times.measure { _ = try engine.data(for: key) }
        let other = FolderCheck.name(of: .random(in: 0..<count))
        try times.measure { try engine.store(Self.payload, for: other, expiration: .days(7)) }
    }

    private func summary(_ times: [Double]) -> String {
        """
        median \(text(CallTimes.percentile(0.5, of: times))), 99.9 % below \
        \(text(CallTimes.percentile(0.999, of: times))), longest \(text(times.max() ?? 0)), \
        more than 2 ms: \(times.count(where: CallTimes.isLong))
        """
    }

    private func text(_ seconds: Double) -> String {
        let micros = Int((seconds * 1e6).rounded())
        return micros < 10_000 ? "\(micros) us" : "\(micros / 1_000) ms"
    }
}

/// As busy as a scan, including its pauses, but takes no lock and makes no file system call.
private final class BusyThread: Sendable {
    private let isStopped = Atomic(false)

    init() {
        Thread.detachNewThread { [self] in
            while !isStopped.load(ordering: .relaxed) {
                let end = ContinuousClock.now + .milliseconds(1)
                while ContinuousClock.now < end {}
                // The length of a scan's pause, for the same share of a core.
                usleep(500)
            }
        }
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }
}
