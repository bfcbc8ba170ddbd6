import Foundation
import Synchronization
import Testing

@testable import KingfisherStorage

/// `syncsWrites`: the names of the folders outlive a power cut, too.
struct NameDurabilityTests {
    @Test func syncedNamesAreKnownUntilFoldersAreMade() throws {
        var names = NameDurability()
        names.noteSync(try #require(names.due))
        #expect(names.due == nil)
        names.beginCreatingFolder()
        #expect(names.due != nil)
        names.endCreatingFolder()
        #expect(names.due != nil)
    }

    @Test func syncsBesideTheMakingOfFoldersProveNothing() throws {
        var names = NameDurability()
        let before = try #require(names.due)
        names.beginCreatingFolder()
        let amidst = try #require(names.due)
        names.noteSync(before)
        names.noteSync(amidst)
        #expect(names.due != nil)
        names.beginCreatingFolder()
        names.endCreatingFolder()
        names.noteSync(try #require(names.due))
        #expect(names.due != nil, "One is at it still")
        names.endCreatingFolder()
        names.noteSync(before)
        names.noteSync(amidst)
        #expect(names.due != nil)
        names.noteSync(try #require(names.due))
        #expect(names.due == nil)
    }

    @Test("A folder that is made again while the names are synced has them synced by the next store")
    func remadeMeanwhile() throws {
        let world = try DiskWorld(prepared: false)
        let syncs = Counter()
        let engine = Mutex<DiskEngine?>(nil)
        let system = FileSystem { call, _ in
            // Of the first store: the file, the cache folder, the one above it.
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
