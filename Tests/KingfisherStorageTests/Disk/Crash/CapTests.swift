import Foundation
import Testing

@testable import CacheWorker
@testable import KingfisherStorage

/// Writes far more than fits into a folder with a limit, and samples the folder every 20 ms: 1,500 entries of
/// 4 to 200 KB with a limit of 8 MB; with `KINGFISHER_SOAK=1` 10,000 entries and 50 MB.
struct CapTests {
    private static let isLong = ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] != nil
    private static let count = isLong ? 10_000 : 1_500
    private static let limit = isLong ? 50_000_000 : 8_000_000
    /// Bytes that may be in transit, regardless of the limit.
    private static let allowance = 16_000_000

    @Test(.timeLimit(.minutes(5)), arguments: [(processes: 1, threads: 4), (processes: 2, threads: 2)])
    func folderStaysBelowItsLimit(processes: Int, threads: Int) async throws {
        let world = try DiskWorld()
        let folder = world.engine.directory
        let watched = try await onOwnThread {
            let workers = try (0..<processes).map { index in
                try Worker(
                    "capped", on: folder, "\(folder).tally-\(index)", "\(Self.limit)",
                    "\(Self.count / processes)",
                    "\(threads)")
            }
            return try Watched(folder, while: workers)
        }
        print("cap: \(processes) processes of \(threads) threads, limit \(Self.limit), \(watched)")
        #expect(watched.haveSucceeded)
        #expect(watched.written == Self.count && watched.failures == 0)
        #expect(watched.samples > 10)
        #expect(watched.most.bytes <= Self.limit + Self.allowance)
        // A cache that evicts what fits would also pass.
        #expect(watched.last.bytes > Self.limit / 2)
        #expect(try FolderCheck(of: folder).damaged == 0)
    }
}

/// The size of a folder while workers write.
private struct Watched: CustomStringConvertible {
    private(set) var samples = 0, mostStaged = 0
    private(set) var most = FolderSample()
    let last: FolderSample
    let haveSucceeded: Bool
    let written: Int, failures: Int

    init(_ folder: String, while workers: [Worker]) throws {
        while workers.contains(where: \.isRunning) {
            let sample = try FolderSample(of: folder)
            samples += 1
            if sample.bytes > most.bytes { most = sample }
            mostStaged = max(mostStaged, sample.staged)
            usleep(20_000)
        }
        last = try FolderSample(of: folder)
        haveSucceeded = workers.allSatisfy { $0.succeeded }
        written = workers.map { $0.counts[.operations] ?? 0 }.reduce(0, +)
        failures = workers.map { $0.counts[.failures] ?? 0 }.reduce(0, +)
    }

    var description: String {
        """
        \(samples) samples: at most \(most.bytes) bytes (\(most.entries) entries), in staging at most \(mostStaged); \
        \(last.bytes) at the end
        """
    }
}

/// The size of a folder at a moment, by `stat` alone.
private struct FolderSample {
    private(set) var entries = 0, bytes = 0, staged = 0

    init() {}

    init(of folder: String) throws {
        let fileSystem = FileSystem()
        for (path, isStaging) in [(folder, false), (folder + ".staging", true)] {
            guard let open = try? fileSystem.openFolder(path, followingLinks: true) else { continue }
            let descriptor = open.raw
            try fileSystem.forEachEntry(of: open) { entry in
                guard let status = try? fileSystem.status(of: entry.name, in: descriptor) else { return }
                if isStaging || entry.isHidden {
                    staged += status.size
                } else {
                    entries += 1
                    bytes += status.size
                }
            }
        }
    }
}
