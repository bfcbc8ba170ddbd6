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

    /// Stores bodies that are received in pieces into a file without a name.
    func stream() {
        while ContinuousClock.now < end {
            let payload = Self.randomPayload()
            attempt {
                let file = try engine.bodies.makeFile()
                try append(payload.bytes, from: 0, to: file, pieces: .max)
                try store(file, payload)
            }
        }
    }

    /// Receives bodies in pieces, interrupts every second one, and continues those of earlier processes.
    func resume() {
        while ContinuousClock.now < end {
            let key = Self.keys.randomElement() ?? 0
            attempt {
                guard let (file, payload) = try partial(of: key) else { return tally.count(.misses) }
                try append(payload.bytes, from: file.count, to: file, pieces: .random(in: 1...20))
                if file.count == payload.length { try store(file, payload) } else { file.close() }
            }
        }
    }

    /// An interrupted body, whose bytes are compared with those that it must have, or a new one.
    private func partial(of key: Int) throws -> (BodyFile, Payload)? {
        guard let file = engine.bodies.openPartial(for: Self.url(of: key)) else {
            let payload = Payload(key: key, version: .random(in: .min ... .max))
            guard
                let resource = PartialResource(
                    total: payload.length, validator: "\"\(payload.version)\"", request: 0, location: 0)
            else { throw CacheWorker.WrongUse() }
            return engine.bodies.makePartial(for: Self.url(of: key), resource).map { ($0, payload) }
        }
        guard let payload = Self.payload(of: file, key: key) else {
            tally.count(.tornHits)
            file.discard()
            return nil
        }
        tally.count(.hits)
        return (file, payload)
    }

    static func url(of key: Int) -> String { "https://example.org/images/\(key).jpg" }

    /// The payload of which an interrupted body has the first bytes; nil if it has others.
    static func payload(of file: BodyFile, key: Int) -> Payload? {
        guard let version = file.resource.flatMap({ UInt64($0.validator.dropFirst().dropLast()) }) else {
            return nil
        }
        let payload = Payload(key: key, version: version)
        let isPrefix = payload.bytes.prefix(file.count) == file.bytes
        return isPrefix && file.count < payload.length ? payload : nil
    }

    private func append(_ bytes: Data, from start: Int, to file: BodyFile, pieces: Int) throws {
        var rest = bytes.dropFirst(start)
        var left = pieces
        while !rest.isEmpty, left > 0 {
            let piece = rest.prefix(.random(in: 1...16_384))
            try piece.withUnsafeBytes { try file.append($0) }
            rest = rest.dropFirst(piece.count)
            left -= 1
        }
    }

    private func store(_ file: BodyFile, _ payload: Payload) throws {
        try engine.store(
            file.complete(), for: FolderCheck.name(of: payload.key), expiration: .days(7))
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
