import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

@Suite struct DiskTrafficTests {
    private let traffic = DiskTraffic()
    private let image: Image
    private let heard = Inbox<String>()

    init() throws { image = try Pictures.image }

    private func order(
        _ image: Image? = nil, original: Data? = nil,
        serializer: any CacheSerializer = DefaultCacheSerializer(),
        forcedExtension: String? = nil, expiration: StorageExpiration? = nil,
        options: Data.WritingOptions = []
    ) -> WriteOrder {
        WriteOrder(
            content: .picture(
                image ?? self.image, original: original, serializer: ValueIdentity(serializer)),
            forcedExtension: forcedExtension, expiration: expiration, options: options)
    }

    /// The job of an order; nil when one like it is under way.
    private func begin(_ order: WriteOrder, _ name: String = "", key: String = "k") -> DiskTraffic.Job? {
        var job: DiskTraffic.Job?
        traffic.begin(order, forKey: key) { [heard] _ in
            heard.put(name)
        } submit: {
            job = $0
        }
        return job
    }

    private func number(_ job: DiskTraffic.Job?) throws -> UInt64 {
        let job = try #require(job)
        #expect(!job.isRepeat)
        return job.number
    }

    private func end(_ number: UInt64, _ outcome: DiskTraffic.Outcome = .success(())) {
        for completion in traffic.end(number, forKey: "k", with: outcome) { completion(outcome) }
    }

    @Test("Storing what is being written waits for that write, and every completion is called once")
    func equalOrders() throws {
        let number = try number(begin(order(), "a"))
        #expect(begin(order(), "b") == nil)
        #expect(heard.count == 0)
        end(number)
        #expect(heard.values == ["a", "b"])
        #expect(traffic.count == 0)
    }

    @Test("Another picture, original, serializer, name, expiration or way of writing is another write")
    func otherOrders() throws {
        let data = Data([1, 2, 3])
        let orders = [
            order(), order(try Pictures.image), order(original: data), order(original: Data([1, 2, 4])),
            order(serializer: FormatIndicatedCacheSerializer.png), order(forcedExtension: "png"),
            order(expiration: .never), order(expiration: .seconds(5)), order(options: .atomic),
            WriteOrder(content: .bytes(data), forcedExtension: nil, expiration: nil, options: []),
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
        let first = try number(begin(orders[0], "a"))
        let second = try number(begin(orders[1], "b"))
        // What is written last counts, so the first has to be written again.
        let third = try number(begin(orders[0], "c"))
        for number in [first, second, third] { end(number) }
        #expect(heard.values == ["a", "b", "c"])
    }

    @Test("Storing what was written, while somebody is there who looked before, is a repeat")
    func visitors() throws {
        traffic.visit("k")
        end(try number(begin(order(), "a")))
        #expect(traffic.picture(forKey: "k") === image)
        let repeated = try #require(begin(order(), "b"))
        #expect(repeated.isRepeat)
        // The file is as it was, and who stores the same meanwhile hears of its end.
        #expect(begin(order(), "c") == nil)
        #expect(heard.values == ["a"])
        end(repeated.number)
        #expect(heard.values == ["a", "b", "c"])
        traffic.leave("k")
        #expect(traffic.picture(forKey: "k") == nil && traffic.count == 0)
        _ = try number(begin(order()))
    }

    @Test("A write that failed is tried again")
    func failure() throws {
        traffic.visit("k")
        let failure = KingfisherError.cacheError(reason: .imageNotExisting(key: "k"))
        end(try number(begin(order())), .failure(failure))
        _ = try number(begin(order()))
    }

    @Test(
        "After a removal nothing is found, and the same picture is written again", arguments: [false, true])
    func removal(ofAll: Bool) throws {
        traffic.visit("k")
        let before = traffic.version(of: "k")
        let number = try number(begin(order(), "a"))
        let written = traffic.version(of: "k")
        if ofAll { traffic.noteRemovalOfAll {} } else { traffic.noteRemoval(of: "k") {} }
        #expect(traffic.picture(forKey: "k") == nil)
        #expect(Set([before, written, traffic.version(of: "k")]).count == 3)
        _ = try self.number(begin(order(), "b"))
        end(number)
        #expect(heard.values == ["a"])
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

    @Test("After a sweep the picture is found still, and is written again")
    func sweep() throws {
        traffic.visit("k")
        end(try number(begin(order())))
        let written = traffic.version(of: "k")
        traffic.noteSweep {}
        #expect(traffic.picture(forKey: "k") === image && traffic.version(of: "k") != written)
        _ = try number(begin(order()))
    }

    @Test("A removal of what nothing goes on with leaves no trace")
    func idleRemoval() {
        traffic.noteRemoval(of: "k") {}
        traffic.noteRemovalOfAll {}
        traffic.noteSweep {}
        #expect(traffic.count == 0)
    }
}
