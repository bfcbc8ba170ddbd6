import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher
@testable import KingfisherConcurrency

@Suite struct DiskTrafficTests {
    private let queue = KeyedQueue(label: "traffic")
    private let traffic: DiskTraffic
    private let image: Image
    private let heard = Inbox<String>()

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

    /// A write that waits in its turn until the test ends it.
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

    /// Begins a write; it is never run where an equal one is under way.
    private func begin(_ order: WriteRequest, _ name: String = "", key: String = "k") -> Write {
        let write = Write()
        traffic.write(order, forKey: key, by: { write.run($0) }, completion: { [heard] _ in heard.put(name) })
        return write
    }

    /// Ends a write that has to be carried out in full, and waits until it is noted.
    private func end(_ write: Write, _ outcome: DiskTraffic.Outcome = .success(())) async throws {
        #expect(try await !write.job.first().isRepeat)
        write.end(outcome)
        await settle()
    }

    private func settle() async {
        await withCheckedContinuation { continuation in queue.barrier { continuation.resume() } }
    }

    @Test("Storing what is being written waits for that write, and every completion is called once")
    func equalOrders() async throws {
        let (first, second) = (begin(order(), "a"), begin(order(), "b"))
        #expect(heard.count == 0)
        try await end(first)
        #expect(heard.values == ["a", "b"])
        #expect(second.job.count == 0 && traffic.count == 0)
    }

    @Test("Another image, original, serializer, name, expiration or way of writing is another write")
    func otherOrders() async throws {
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
        // Equal, but looking at the bytes would take time that all keys would wait for.
        #expect(!order(original: long).isSame(as: order(original: copy)))
        // What is written last counts, so the first has to be written again.
        let writes = [begin(orders[0], "a"), begin(orders[1], "b"), begin(orders[0], "c")]
        for write in writes { write.end() }
        for write in writes { #expect(try await !write.job.first().isRepeat) }
        await settle()
        #expect(heard.values == ["a", "b", "c"])
    }

    @Test("Storing what was written, while somebody is there who looked before, is a repeat")
    func visitors() async throws {
        traffic.visit("k")
        try await end(begin(order(), "a"))
        #expect(traffic.stored(forKey: "k").image === image)
        let repeated = begin(order(), "b")
        #expect(try await repeated.job.first().isRepeat)
        // The file is as it was, and a caller that stores the same meanwhile hears of its end.
        let shared = begin(order(), "c")
        #expect(heard.values == ["a"])
        repeated.end()
        await settle()
        #expect(heard.values == ["a", "b", "c"] && shared.job.count == 0)
        traffic.leave("k")
        #expect(traffic.stored(forKey: "k").image == nil && traffic.count == 0)
        try await end(begin(order()))
    }

    @Test("A write that failed is tried again")
    func failure() async throws {
        traffic.visit("k")
        try await end(begin(order()), .failure(.cacheError(reason: .imageNotExisting(key: "k"))))
        try await end(begin(order()))
    }

    @Test(
        "After a removal nothing is found, and the same image is written again", arguments: [false, true])
    func removal(ofAll: Bool) async throws {
        traffic.visit("k")
        let before = traffic.version(of: "k")
        let write = begin(order(), "a")
        let written = traffic.version(of: "k")
        let removed = Inbox<[String]>()
        let remove: @Sendable () -> Void = { [heard] in removed.put(heard.values) }
        if ofAll { traffic.removeAll(by: remove) } else { traffic.remove("k", by: remove) }
        #expect(traffic.stored(forKey: "k").image == nil)
        #expect(Set([before, written, traffic.version(of: "k")]).count == 3)
        let again = begin(order(), "b")
        write.end()
        // In its turn: after the write that was noted before it, before the next one.
        #expect(try await removed.first() == ["a"])
        try await end(again)
        #expect(heard.values == ["a", "b"])
    }

    @Test("A version is never that of a time when nobody was there")
    func versions() {
        traffic.visit("k")
        let first = traffic.version(of: "k")
        traffic.leave("k")
        traffic.visit("k")
        traffic.visit("k")
        #expect(traffic.version(of: "k") != first && first != 0)
    }

    @Test("After a sweep the image is found still, and is written again")
    func sweep() async throws {
        traffic.visit("k")
        try await end(begin(order()))
        let written = traffic.version(of: "k")
        traffic.sweep {}
        #expect(traffic.stored(forKey: "k").image === image && traffic.version(of: "k") != written)
        try await end(begin(order()))
    }

    @Test("A removal of what nothing goes on with leaves no trace")
    func idleRemoval() {
        traffic.remove("k") {}
        traffic.removeAll {}
        traffic.sweep {}
        #expect(traffic.count == 0)
    }
}
