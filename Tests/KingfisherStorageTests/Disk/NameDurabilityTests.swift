import Foundation
import Synchronization
import Testing

@testable import KingfisherStorage

/// With `syncsWrites`, the names of folders also survive a power cut.
struct NameDurabilityTests {
    @Test func syncedNamesAreDueAgainAfterFoldersAreCreated() throws {
        var names = NameDurability()
        names.noteSync(try #require(names.due))
        #expect(names.due == nil)
        names.beginCreatingFolder()
        #expect(names.due != nil)
        names.endCreatingFolder()
        #expect(names.due != nil)
    }

    @Test func syncsDuringTheCreationOfFoldersDoNotCount() throws {
        var names = NameDurability()
        let before = try #require(names.due)
        names.beginCreatingFolder()
        let during = try #require(names.due)
        names.noteSync(before)
        names.noteSync(during)
        #expect(names.due != nil)
        names.beginCreatingFolder()
        names.endCreatingFolder()
        names.noteSync(try #require(names.due))
        #expect(names.due != nil, "One folder is still being created")
        names.endCreatingFolder()
        names.noteSync(before)
        names.noteSync(during)
        #expect(names.due != nil)
        names.noteSync(try #require(names.due))
        #expect(names.due == nil)
    }

    @Test("After a folder is recreated during a sync of names, the next store syncs them again")
    func recreatedDuringSync() throws {
        let world = try DiskWorld(prepared: false)
        let syncs = Counter()
        let engine = Mutex<DiskEngine?>(nil)
        let system = FileSystem { call, _ in
            // The first store syncs the file, the cache folder and its parent.
            if call == .sync, syncs.next() == 3, let engine = engine.withLock({ $0 }) {
                try? FileManager.default.removeItem(atPath: engine.directory)
                try? engine.prepare()
            }
            return 0
        }
        let cache = DiskEngine(
            directory: world.engine.directory, settings: DiskSettings(syncsWrites: true), fileSystem: system,
            clock: world.clock, background: world.background.work)
        try cache.prepare()
        engine.withLock { $0 = cache }
        defer { engine.withLock { $0 = nil } }
        func syncsOfStore(_ key: String) throws -> Int {
            let before = syncs.next()
            try cache.store(bytes(5), for: world.name(key), expiration: .never)
            return syncs.next() - before - 1
        }
        try cache.store(bytes(5), for: world.name("first"), expiration: .never)
        #expect(try syncsOfStore("second") > 2)
        #expect(try syncsOfStore("third") == 2)
    }
}
