import CLinux
import Foundation
import Glibc
import KingfisherTestSupport
import Testing

@testable import KingfisherStorage

/// A disk engine on a temporary folder, with a manual clock, injected faults and a manual background.
final class DiskWorld: Sendable {
    let root: String
    let clock = ManualClock()
    let faults = FaultPlan()
    let background = ManualBackground()
    let engine: DiskEngine
    private let watch: FolderWatch

    /// - Parameters:
    ///   - folder: The cache folder, in a new temporary folder.
    ///   - prepared: Whether the engine is ready and has scanned its folder.
    init(
        folder: String = "cache", prepared: Bool = true, settings: DiskSettings = DiskSettings(),
        watch: FolderWatch = .shared
    ) throws {
        root =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("kingfisher-storage-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        self.watch = watch
        engine = DiskEngine(
            directory: root + "/" + folder, settings: settings, fileSystem: faults.fileSystem, clock: clock,
            background: background.work, watch: watch)
        if prepared {
            try engine.prepare()
            background.runAll()
        }
        _ = faults.takeCalls()
    }

    deinit {
        chmod(engine.directory, 0o755)
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Another engine over the same folder, as in another process; it shares this background.
    func otherEngine() throws -> DiskEngine {
        let other = DiskEngine(
            directory: engine.directory, settings: DiskSettings(), fileSystem: FileSystem(), clock: clock,
            background: background.work, watch: watch)
        try other.prepare()
        return other
    }

    func name(_ key: String) -> EntryName { FileNaming().name(forKey: key) }

    func path(_ key: String) -> String { engine.path(of: name(key)) }

    func store(_ bytes: Data, _ key: String, _ expiration: StorageExpiration = .seconds(100)) throws {
        try engine.store(bytes, for: name(key), expiration: expiration)
    }

    /// Stores "0", "1" and so on, 10 bytes each. Afterwards the first `expired` entries have expired.
    func store(count: Int, expired: Int) throws {
        for number in 0..<count {
            try store(bytes(10), "\(number)", number < expired ? .seconds(1) : .never)
            clock.advance(by: 0.1)
        }
        clock.advance(by: 2)
    }

    func load(_ key: String, _ extending: ExpirationExtending = .none) throws -> Data? {
        try engine.data(for: name(key), extending: extending)
    }

    func isCached(_ key: String) -> Bool { engine.isCached(name(key)) }

    func names(in folder: String = "cache") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: root + "/" + folder)) ?? []).sorted()
    }

    /// The status of the file, without accesses that are not written yet.
    func status(_ key: String) throws -> FileStatus { try FileSystem().status(of: path(key)) }

    /// The status of the file after all accesses are written.
    func settledStatus(_ key: String) throws -> FileStatus {
        engine.writePendingAccesses()
        return try status(key)
    }

    func attribute(_ key: String) throws -> [UInt8]? {
        try FileSystem().attribute(EntryAttribute.name, of: FileSystem().openForReading(path(key)))
    }

    /// Replaces or removes the attribute; the times stay.
    func setAttribute(_ bytes: [UInt8]?, _ key: String) throws {
        if let bytes {
            let file = try FileSystem().openForReading(path(key))
            try FileSystem().setAttribute(EntryAttribute.name, bytes, of: file)
        } else {
            guard removexattr(path(key), EntryAttribute.name) == 0 else { throw POSIXError(.EIO) }
        }
    }

    /// Changes a file's content in place; times and attribute stay.
    func rewrite(_ key: String, _ change: (inout Data) -> Void) throws {
        let status = try status(key)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path(key)))
        var content = try file.readToEnd() ?? Data()
        change(&content)
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: content)
        try file.close()
        try setTimes(key, accessed: status.accessed, modified: status.modified)
    }

    func setTimes(_ key: String, accessed: Date, modified: Date) throws {
        let file = try FileSystem().openForReading(path(key))
        try FileSystem().setTimes(of: file, accessed: accessed, modified: modified)
    }
}

func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
    var random = SeededGenerator(seed: seed)
    return Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
}

func makeFile(_ path: String, _ content: Data) {
    #expect(FileManager.default.createFile(atPath: path, contents: content))
}
