import Foundation
import Glibc
import KingfisherStorage

/// A folder with very many entries: how long opening it takes, and what its first scan does to those who read and
/// write meanwhile.
struct CrowdRoles {
    /// What calls took, in seconds.
    private struct Latencies {
        var all: [Double] = []
        /// Longer than two milliseconds although the thread did not lack a processor: it waited for something.
        var held = 0

        mutating func measure(_ operation: () throws -> Void) rethrows {
            let pauses = Self.pauses
            let start = ContinuousClock.now
            try operation()
            let taken = (ContinuousClock.now - start) / .seconds(1)
            all.append(taken)
            if taken > 0.002, Self.pauses > pauses { held += 1 }
        }

        var heldShare: Double { all.isEmpty ? 0 : Double(held) / Double(all.count) }

        func percentile(_ share: Double) -> Double {
            let sorted = all.sorted()
            return sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
        }

        /// How often this thread has given up the processor by itself: for a lock, or for a disk.
        private static var pauses: Int {
            var usage = rusage()
            getrusage(1, &usage)  // RUSAGE_THREAD, which Glibc leaves out.
            return usage.ru_nvcsw
        }
    }

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

    /// Opens the folder several times; fails when opening takes five milliseconds, or calls are held up for two
    /// more often than one in a thousand while the folder is scanned, and more than twice as often as while it is
    /// not: a machine that does other things, too, holds up both.
    func measure() throws {
        var openings: [Double] = [], scans: [Double] = []
        var beside = Latencies(), alone = Latencies()
        for _ in 0..<10 {
            let start = ContinuousClock.now
            let engine = DiskEngine(directory: folder)
            try engine.prepare()
            openings.append((ContinuousClock.now - start) / .seconds(1))
            var calls = 0
            while engine.statistics.entries < count {
                try use(engine, &beside)
                calls += 2
                guard ContinuousClock.now - start < .seconds(60) else { throw CacheWorker.WrongUse() }
            }
            scans.append((ContinuousClock.now - start) / .seconds(1))
            for _ in 0..<(calls / 2) { try use(engine, &alone) }
        }
        let median = openings.sorted()[openings.count / 2]
        report("opening \(count) entries: median \(text(median)), longest \(text(openings.max() ?? 0))")
        report("first scan beside \(beside.all.count) calls: median \(text(scans.sorted()[scans.count / 2]))")
        for (name, latencies) in [("beside the scan", beside), ("without a scan", alone)] {
            report(
                """
                \(name): median \(text(latencies.percentile(0.5))), 99.9 % below \
                \(text(latencies.percentile(0.999))), longest \(text(latencies.percentile(1))), held up for more \
                than 2 ms: \(latencies.held)
                """)
        }
        guard median < 0.005,
            beside.percentile(0.999) < 0.002 || beside.heldShare <= 2 * alone.heldShare + 0.001
        else { exit(1) }
    }

    private func use(_ engine: DiskEngine, _ latencies: inout Latencies) throws {
        let key = FolderCheck.name(of: .random(in: 0..<count))
        try latencies.measure { _ = try engine.data(for: key) }
        let other = FolderCheck.name(of: .random(in: 0..<count))
        try latencies.measure { try engine.store(Self.payload, for: other, expiration: .days(7)) }
    }

    private func text(_ seconds: Double) -> String {
        let micros = Int((seconds * 1e6).rounded())
        return micros < 10_000 ? "\(micros) us" : "\(micros / 1_000) ms"
    }
}
