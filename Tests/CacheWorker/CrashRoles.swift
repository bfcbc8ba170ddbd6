import Foundation
import KingfisherStorage

/// The operations that processes of the kill test repeat until a deadline or until they are killed.
struct CrashRoles {
    let engine: DiskEngine
    let tally: Tally.Counters
    let end = ContinuousClock.now + longest

    /// A worker that is not killed exits after this time.
    static let longest = Duration.seconds(60)
    /// Few enough for writers, readers and sweepers to meet in one file.
    static let keys = 0..<64
    /// Room for most keys but not for all, so that every process evicts.
    static let limit: UInt64 = 2_000_000

    init(folder: String, tally: String) throws {
        self.tally = try Tally.Counters(tally)
        engine = DiskEngine(directory: folder, settings: DiskSettings(sizeLimit: Self.limit))
        try engine.prepare()
    }

    func write() {
        while ContinuousClock.now < end {
            let payload = Self.randomPayload()
            attempt {
                // One in eight expires while the test runs.
                let lifetime: StorageExpiration = payload.version % 8 == 0 ? .seconds(1) : .days(7)
                try engine.store(
                    payload.bytes, for: FolderCheck.name(of: payload.key), expiration: lifetime)
            }
        }
    }

    /// Writes directly into the final file, as Apple's version does. The harness must detect torn files.
    func writeInPlace() {
        while ContinuousClock.now < end {
            let payload = Self.randomPayload()
            attempt {
                try payload.bytes.write(
                    to: URL(fileURLWithPath: engine.path(of: FolderCheck.name(of: payload.key))), options: [])
            }
        }
    }

    /// Reads through the engine and directly from files, as the engine hides corrupt content by its checksum.
    func read() {
        while ContinuousClock.now < end {
            let key = Self.keys.randomElement() ?? 0
            let name = FolderCheck.name(of: key)
            attempt {
                let isBare = Bool.random()
                let bytes =
                    isBare
                    ? FileManager.default.contents(atPath: engine.path(of: name))
                    : try engine.data(for: name)
                guard let bytes else { return tally.count(.misses) }
                if case .whole(let payload) = Payload.judge(bytes), payload.key == key {
                    tally.count(.hits)
                } else {
                    tally.count(isBare ? .tornFiles : .tornHits)
                }
            }
        }
    }

    func sweep() {
        while ContinuousClock.now < end {
            attempt {
                switch Int.random(in: 0..<3) {
                case 0: _ = try engine.removeExpired()
                case 1: _ = try engine.removeSizeExceeded(limit: Self.limit)
                default: _ = try engine.totalSize()
                }
            }
        }
    }

    private func attempt(_ operation: () throws -> Void) {
        do {
            try operation()
        } catch {
            tally.count(.failures)
            report("failure \(error)")
        }
        tally.count(.operations)
    }

    private static func randomPayload() -> Payload {
        Payload(key: keys.randomElement() ?? 0, version: .random(in: .min ... .max))
    }
}
