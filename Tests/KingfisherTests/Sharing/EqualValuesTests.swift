import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

@Suite struct EqualValuesTests {
    private struct Colliding: Hashable, Sendable {
        let number: Int
        func hash(into hasher: inout Hasher) {}
    }

    @Test("Equal values share one token while it is referenced")
    func tokens() throws {
        let values = EqualValues()
        let first = try #require(values.token(for: Colliding(number: 1)))
        let second = try #require(values.token(for: Colliding(number: 2)))
        #expect(first !== second)
        #expect(values.token(for: Colliding(number: 1)) === first)
        #expect(values.token(for: Colliding(number: 2)) === second)
        #expect(values.token(for: 1) !== values.token(for: UInt8(1)))
        #expect(values.token(for: { @Sendable in }) == nil)
        withExtendedLifetime((first, second)) {}
    }

    @Test("Values without references are released")
    func release() {
        final class Owner: Sendable, Hashable {
            static func == (one: Owner, other: Owner) -> Bool { one === other }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        let values = EqualValues()
        weak var weakOwner: Owner?
        do {
            let owner = Owner()
            weakOwner = owner
            #expect(values.token(for: owner) != nil)
        }
        #expect(weakOwner == nil)
        for number in 0..<1_000 { _ = values.token(for: number) }
        #expect(values.count <= 32)
    }

    @Test("Concurrent threads get one token for equal values")
    func threads() {
        let values = EqualValues()
        let tokens = Mutex<[Int: [EqualValues.Token]]>([:])
        DispatchQueue.concurrentPerform(iterations: 2_000) { number in
            guard let token = values.token(for: Colliding(number: number % 20)) else { return }
            tokens.withLock { $0[number % 20, default: []].append(token) }
            // Unreferenced tokens appear and disappear concurrently.
            _ = values.token(for: Colliding(number: 100 + number % 7))
        }
        let held = tokens.withLock { $0 }
        #expect(
            held.values.allSatisfy { tokens in tokens.count == 100 && tokens.allSatisfy { $0 === tokens[0] } }
        )
    }

    /// A serializer whose `==` and `hash` call the cache that compares it.
    private struct Reentrant: CacheSerializer, Hashable {
        let cache: ImageCache
        let called: Locked<Int>

        static func == (one: Self, other: Self) -> Bool {
            one.use()
            return true
        }

        func hash(into hasher: inout Hasher) { use() }

        private func use() {
            called.withLock { $0 += 1 }
            // Would deadlock if the caller held a lock of the cache.
            #expect(cache.traffic.count >= 0 && cache.shared.inputs.count >= 0)
        }

        func data(with image: Image, original: Data?) -> Data? {
            DefaultCacheSerializer.default.data(with: image, original: original)
        }

        func image(with data: Data, options: KingfisherParsedOptionsInfo) -> Image? {
            DefaultCacheSerializer.default.image(with: data, options: options)
        }
    }

    @Test(
        "The == and hash functions of a serializer run outside the locks of the cache",
        .timeLimit(.minutes(1)))
    func reentrancy() async throws {
        let rig = try SharingRig()
        let called = Locked(0)
        let image = try TestImages.image
        let inbox = Inbox<CacheStoreResult>()
        for _ in 0..<5 {
            let serializer = Reentrant(cache: rig.cache, called: called)
            rig.cache.store(image, forKey: rig.key, cacheSerializer: serializer) { inbox.put($0) }
        }
        _ = try await inbox.first(5)
        rig.cache.clearMemoryCache()
        let results = await rig.call(20) { _ in
            [
                .cacheSerializer(Reentrant(cache: rig.cache, called: called)),
                .memoryCacheExpiration(.expired),
            ]
        }
        for (_, outcome) in try await results.first(20) { #expect(try outcome.get().cacheType == .disk) }
        #expect(called.withLock { $0 } > 0)
    }

    @Test("Comparing and hashing identities calls no code of their values")
    func comparing() {
        struct Counting: Hashable, Sendable {
            let called: Locked<Int>
            static func == (one: Self, other: Self) -> Bool {
                one.called.withLock { $0 += 1 }
                return true
            }
            func hash(into hasher: inout Hasher) { called.withLock { $0 += 1 } }
        }
        let called = Locked(0)
        let identities = (0..<3).map { _ in ValueIdentity(Counting(called: called)) }
        let before = called.withLock { $0 }
        #expect(before > 0 && Set(identities).count == 1 && identities[0] == identities[1])
        #expect(called.withLock { $0 } == before)
    }
}
