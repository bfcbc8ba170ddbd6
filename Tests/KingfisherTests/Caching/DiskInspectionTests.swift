import Foundation
import Kingfisher
import Testing

/// Inspection of a storage's folder through the public API.
final class DiskInspectionTests {
    private let base = FileManager.default.temporaryDirectory
        .appendingPathComponent("kingfisher-inspection-\(UUID().uuidString)", isDirectory: true)

    deinit { try? FileManager.default.removeItem(at: base) }

    private func storage() throws -> DiskStorage.Backend<Data> {
        try DiskStorage.Backend(config: DiskStorage.Config(name: "test", sizeLimit: 0, directory: base))
    }

    @Test("Entries are sorted by name and report size and dates; listing them extends none")
    func entries() throws {
        let storage = try storage()
        let before = Date()
        for (number, key) in ["a", "b", "c"].enumerated() {
            try storage.store(value: Data(count: number + 1), forKey: key, expiration: .days(number + 1))
        }
        let entries = try storage.entries()
        #expect(entries.map(\.fileName) == entries.map(\.fileName).sorted())
        for (number, key) in ["a", "b", "c"].enumerated() {
            let entry = try #require(entries.first { $0.url == storage.cacheFileURL(forKey: key) })
            #expect(entry.byteCount == number + 1)
            #expect(abs(try #require(entry.storedAt).timeIntervalSince(before)) < 60)
            #expect(abs(entry.lastAccess.timeIntervalSince(before)) < 60)
            let lifetime = 86_400 * Double(number + 1)
            #expect(abs(entry.expiration.timeIntervalSince(before) - lifetime) < 60)
            #expect(!entry.isExpired() && entry.isExpired(at: entry.expiration))
        }
        #expect(try storage.entries() == entries)
    }

    @Test("Entries report their states, foreign files are listed, and damaged entries can be removed")
    func states() throws {
        let storage = try storage()
        for key in ["good", "bad", "empty"] { try storage.store(value: Data(key.utf8), forKey: key) }
        try Data("xxx".utf8).write(to: storage.cacheFileURL(forKey: "bad"))
        try Data().write(to: storage.cacheFileURL(forKey: "empty"))
        try Data().write(to: storage.directoryURL.appendingPathComponent("notes.txt"))
        #expect(try storage.foreignNames() == ["notes.txt"])
        var states: [URL: DiskStorage.EntryState] = [:]
        try storage.forEachEntry { states[$0.url] = storage.state(of: $0) }
        #expect(
            states == [
                storage.cacheFileURL(forKey: "good"): .intact,
                storage.cacheFileURL(forKey: "bad"): .damaged,
                storage.cacheFileURL(forKey: "empty"): .empty,
            ])
        for entry in try storage.entries() where storage.state(of: entry) != .intact {
            #expect(try storage.remove(entry))
            #expect(storage.state(of: entry) == nil)
            #expect(try !storage.remove(entry))
        }
        #expect(try storage.entries().map(\.url) == [storage.cacheFileURL(forKey: "good")])
        #expect(try storage.foreignNames() == ["notes.txt"])
    }

    @Test("A missing folder has no entries; a file in its place is an error")
    func folders() throws {
        let storage = try storage()
        try FileManager.default.removeItem(at: storage.directoryURL)
        #expect(try storage.entries().isEmpty && storage.foreignNames().isEmpty)
        try Data().write(to: storage.directoryURL)
        #expect(throws: KingfisherError.self) { try storage.entries() }
    }
}
