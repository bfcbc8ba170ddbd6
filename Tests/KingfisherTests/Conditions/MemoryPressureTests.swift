import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

@testable import Kingfisher

@Suite struct MemoryPressureTests {
    private final class Responder: MemoryPressureResponder {
        private let seen = Mutex<[MemoryPressure]>([])
        private let action: @Sendable () -> Void

        init(_ action: @escaping @Sendable () -> Void = {}) { self.action = action }

        var levels: [MemoryPressure] { seen.withLock { $0 } }

        func relieve(_ level: MemoryPressure) {
            seen.withLock { $0.append(level) }
            action()
        }
    }

    @Test("Levels are ordered by severity")
    func order() {
        #expect(MemoryPressure.allCases.sorted() == [.low, .medium, .critical])
    }

    @Test("Every responder gets every level once")
    func everyResponder() {
        let responders = MemoryPressureResponders()
        let (one, other) = (Responder(), Responder())
        responders.register(one)
        responders.post(.low)
        responders.register(other)
        responders.post(.critical)
        #expect(one.levels == [.low, .critical])
        #expect(other.levels == [.critical])
    }

    @Test("Responders are held weakly, and the places of released ones are reused")
    func weakness() {
        let responders = MemoryPressureResponders()
        let survivor = Responder()
        responders.register(survivor)
        weak var released: Responder?
        for _ in 0..<10_000 {
            let responder = Responder()
            responders.register(responder)
            released = responder
        }
        #expect(released == nil)
        #expect(responders.count <= 16)
        responders.post(.medium)
        #expect(survivor.levels == [.medium])
    }

    @Test("A responder registered from inside a responder gets the next level")
    func registrationInside() {
        let responders = MemoryPressureResponders()
        let late = Responder()
        let early = Responder { responders.register(late) }
        responders.register(early)
        responders.post(.low)
        #expect(late.levels.isEmpty)
        responders.post(.medium)
        #expect(late.levels == [.medium])
    }

    @Test("With eight threads that register and post, no responder is lost")
    func threads() async {
        let responders = MemoryPressureResponders()
        let all = (0..<800).map { _ in Responder() }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    for responder in all[(thread * 100)..<(thread * 100 + 100)] {
                        responders.register(responder)
                        if thread == 0 { responders.post(.low) }
                    }
                }
            }
        }
        responders.post(.critical)
        #expect(all.allSatisfy { $0.levels.last == .critical })
    }

    @Test("A cache keeps the most recent half, quarter or nothing of memory; the disk is unaffected")
    func cacheRelief() async throws {
        let bench = try Bench()
        let image = try TestImages.image
        let cost = image.cacheCost
        try await bench.cache.storeToDisk(TestImages.png, forKey: "on disk")
        for number in 0..<8 { bench.cache.memoryStorage.store(value: image, forKey: "\(number)") }
        _ = bench.cache.retrieveImageInMemoryCache(forKey: "0")
        func remainingKeys() -> [String] {
            (0..<8).map(String.init).filter { bench.cache.memoryStorage.isCached(forKey: $0) }
        }

        bench.cache.relieve(.low)
        #expect(remainingKeys() == ["0", "5", "6", "7"])
        #expect(bench.cache.memoryStorageCacheCost == 4 * cost)
        bench.cache.relieve(.medium)
        #expect(remainingKeys() == ["0"])
        bench.cache.relieve(.critical)
        #expect(bench.cache.memoryStorageCacheCost == 0)
        #expect(bench.cache.imageCachedType(forKey: "on disk") == .disk)
    }

    @Test("Expired images are removed first and count towards the released memory")
    func expiredFirst() throws {
        let clock = ManualClock()
        let cache = try ImageCache.make(in: TemporaryFolder(), clock: clock)
        let image = try TestImages.image
        for number in 0..<4 {
            let lifetime = StorageExpiration.seconds(number < 2 ? 1000 : 1)
            cache.memoryStorage.store(value: image, forKey: "\(number)", expiration: lifetime)
        }
        clock.advance(by: 10)
        cache.relieve(.low)
        #expect(cache.memoryStorage.isCached(forKey: "0") && cache.memoryStorage.isCached(forKey: "1"))
        #expect(cache.memoryStorageCacheCost == 2 * image.cacheCost)
    }

    @Test("Posting reaches every cache of the process")
    func post() async {
        // A separate process, so that the caches of other tests keep their images.
        await #expect(processExitsWith: .success) {
            let bench = try Bench()
            bench.cache.memoryStorage.store(value: try TestImages.image, forKey: "a")
            #expect(bench.cache.memoryStorageCacheCost > 0)
            MemoryPressure.post(.critical)
            #expect(bench.cache.memoryStorageCacheCost == 0)
        }
    }
}
