import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

@Suite struct DiskTrafficTests {
    private let queue = KeyedQueue(label: "traffic")
    private let traffic: DiskTraffic
    private let image: Image
    private let completions = Inbox<String>()

    init() throws {
        image = try TestImages.image
        traffic = DiskTraffic(queue: queue, folder: URL(filePath: "/cache"))
    }

    private func order(
        _ image: Image? = nil, original: Data? = nil,
        serializer: any CacheSerializer = DefaultCacheSerializer(),
        forcedExtension: String? = nil, expiration: StorageExpiration? = nil,
        options: Data.WritingOptions = []
    ) -> WriteRequest {
        WriteRequest(
            content: .image(
                image ?? self.image, original: original, serializer: ValueIdentity(serializer)),
            forcedExtension: forcedExtension, expiration: expiration, options: options)
    }

    /// A write that waits in its queue until the test ends it.
    private final class Write: Sendable {
        let job = Inbox<DiskTraffic.Job>()
        private let outcome = Locked(DiskTraffic.Outcome.success(()))
        private let latch = Latch()

        func run(_ job: DiskTraffic.Job) -> DiskTraffic.Outcome {
            self.job.put(job)
            _ = latch.wait()
            return outcome.withLock { $0 }
        }

        func end(_ outcome: DiskTraffic.Outcome = .success(())) {
            self.outcome.withLock { $0 = outcome }
            latch.open()
        }
    }

    /// Starts a write. It does not run if an equal write is pending.
    private func begin(_ order: WriteRequest, _ name: String = "", key: String = "k") -> Write {
        let write = Write()
        traffic.write(
            order, forKey: key, by: { write.run($0) },
            completion: { [completions] _ in completions.put(name) })
        return write
    }

    /// Ends a write that must run, and waits until it is recorded.
    private func end(_ write: Write, _ outcome: DiskTraffic.Outcome = .success(())) async throws {
        #expect(try await !write.job.first().isRepeat)
        write.end(outcome)
        await settle()
    }

    private func settle() async {
        await withCheckedContinuation { continuation in queue.barrier { continuation.resume() } }
    }

    @Test("A store equal to a pending write waits for it, and every completion is called once")
    func equalWrites() async throws {
        let (first, second) = (begin(order(), "a"), begin(order(), "b"))
        #expect(completions.count == 0)
        try await end(first)
        #expect(completions.values == ["a", "b"])
        #expect(second.job.count == 0 && traffic.count == 0)
    }

    @Test("A write with a different image, serializer, name, expiration or option is separate")
    func differentWrites() async throws {
        let data = Data([1, 2, 3])
        let orders = [
            order(), order(try TestImages.image), order(original: data), order(original: Data([1, 2, 4])),
            order(serializer: FormatIndicatedCacheSerializer.png), order(forcedExtension: "png"),
            order(expiration: .never), order(expiration: .seconds(5)), order(options: .atomic),
            WriteRequest(content: .bytes(data), forcedExtension: nil, expiration: nil, options: []),
        ]
        for one in orders.indices {
            for other in orders.indices {
                #expect(orders[one].isSame(as: orders[other]) == (one == other), "\(one), \(other)")
            }
        }
        #expect(!order(options: .withoutOverwriting).isSame(as: order(options: .withoutOverwriting)))
        #expect(order(expiration: .days(1)).isSame(as: order(expiration: .seconds(86_400))))
        #expect(order(original: Data([1, 2])).isSame(as: order(original: Data([1, 2]))))
        let (long, copy) = (Data(repeating: 1, count: 100), Data(repeating: 1, count: 100))
        #expect(order(original: long).isSame(as: order(original: long)))
        // Equal, but comparing the bytes would delay all keys.
        #expect(!order(original: long).isSame(as: order(original: copy)))
        // The last write wins, so the first one must run again.
        let writes = [begin(orders[0], "a"), begin(orders[1], "b"), begin(orders[0], "c")]
        for write in writes { write.end() }
        for write in writes { #expect(try await !write.job.first().isRepeat) }
        await settle()
        #expect(completions.values == ["a", "b", "c"])
    }

    @Test("Storing an equal image again during a visit is a repeat")
    func visitors() async throws {
        traffic.register("k")
        try await end(begin(order(), "a"))
        #expect(traffic.stored(forKey: "k").image === image)
        let repeated = begin(order(), "b")
        #expect(try await repeated.job.first().isRepeat)
        // The file has not changed, and a concurrent equal store completes with the repeat.
        let shared = begin(order(), "c")
        #expect(completions.values == ["a"])
        repeated.end()
        await settle()
        #expect(completions.values == ["a", "b", "c"] && shared.job.count == 0)
        traffic.unregister("k")
        #expect(traffic.stored(forKey: "k").image == nil && traffic.count == 0)
        try await end(begin(order()))
    }

    @Test("A failed write is tried again")
    func failure() async throws {
        traffic.register("k")
        try await end(begin(order()), .failure(.cacheError(reason: .imageNotExisting(key: "k"))))
        try await end(begin(order()))
    }

    @Test(
        "After a removal nothing is found, and the same image is written again", arguments: [false, true])
    func removal(ofAll: Bool) async throws {
        traffic.register("k")
        let before = traffic.version(of: "k")
        let write = begin(order(), "a")
        let written = traffic.version(of: "k")
        let removed = Inbox<[String]>()
        let remove: @Sendable () -> Void = { [completions] in removed.put(completions.values) }
        if ofAll { traffic.removeAll(by: remove) } else { traffic.remove("k", by: remove) }
        #expect(traffic.stored(forKey: "k").image == nil)
        #expect(Set([before, written, traffic.version(of: "k")]).count == 3)
        let again = begin(order(), "b")
        write.end()
        // The removal runs after the write recorded before it and before the next one.
        #expect(try await removed.first() == ["a"])
        try await end(again)
        #expect(completions.values == ["a", "b"])
    }

    @Test("A version is not used again after the last visitor has left")
    func versions() {
        traffic.register("k")
        let first = traffic.version(of: "k")
        traffic.unregister("k")
        traffic.register("k")
        traffic.register("k")
        #expect(traffic.version(of: "k") != first && first != 0)
    }

    @Test("After a sweep the image is still found and is written again")
    func sweep() async throws {
        traffic.register("k")
        try await end(begin(order()))
        let written = traffic.version(of: "k")
        traffic.sweep {}
        #expect(traffic.stored(forKey: "k").image === image && traffic.version(of: "k") != written)
        try await end(begin(order()))
    }

    @Test("A removal of an idle key leaves no entry")
    func idleRemoval() {
        traffic.remove("k") {}
        traffic.removeAll {}
        traffic.sweep {}
        #expect(traffic.count == 0)
    }
}
