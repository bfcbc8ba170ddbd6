import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

@testable import Kingfisher
@testable import KingfisherTransport

/// How finished transfers get to the processing queue.
@Suite struct DeliveryQueueTests {
    /// Counts how often something is handed to it, and keeps it until told.
    private final class ManualQueue: CallbackOperationQueue {
        let blocks = Locked<[@Sendable () -> Void]>([])
        let underlyingQueue: DispatchQueue? = nil

        func addOperation(_ block: @Sendable @escaping () -> Void) { blocks.withLock { $0.append(block) } }

        func run() { for block in blocks.withLock({ take(&$0) }) { block() } }

        private func take(_ blocks: inout [@Sendable () -> Void]) -> [@Sendable () -> Void] {
            defer { blocks = [] }
            return blocks
        }
    }

    private let bench: Bench
    private let queue = ManualQueue()
    private let served = Inbox<Int>()

    init() throws { bench = try Bench() }

    private func delivery(_ number: Int) throws -> DownloadDelivery {
        let session = SessionDataTask.idle(bench)
        let callback = SessionDataTask.Callback(
            options: KingfisherParsedOptionsInfo([.callbackQueue(.untouch)]), progress: nil
        ) { [served] _ in served.put(number) }
        callback.gate.open(on: .untouch)
        try #require(session.add(callback) != nil && session.begin() && session.beginDelivery(metrics: nil))
        let response = HTTPURLResponse(
            url: bench.url, statusCode: 200, httpVersion: nil, headerFields: nil)
        return DownloadDelivery(
            downloader: bench.downloader, session: session, data: try TestImages.png,
            arrival: ResponseArrival(TransportResponse(try #require(response)), to: nil, startedAt: .now),
            metrics: nil)
    }

    @Test("What ends in one round is handed on together at its end, in its order")
    func rounds() throws {
        let line = DeliveryQueue(.operationQueue(queue))
        let round = LoopRound()
        round.enter()
        defer { round.leave() }
        for number in 1...3 { line.add(try delivery(number)) }
        #expect(queue.blocks.withLock(\.count) == 0)
        round.end()
        #expect(queue.blocks.withLock(\.count) == 1)
        // Before the queue comes to it, more may join.
        line.add(try delivery(4))
        round.end()
        #expect(queue.blocks.withLock(\.count) == 1)
        queue.run()
        #expect(served.values == [1, 2, 3, 4])
        line.add(try delivery(5))
        round.end()
        queue.run()
        #expect(served.values == [1, 2, 3, 4, 5])
    }

    @Test("Nobody waits for the round of another thread")
    func otherThreads() async throws {
        let line = DeliveryQueue(.operationQueue(queue))
        let round = LoopRound()
        round.enter()
        line.add(try delivery(1))
        #expect(queue.blocks.withLock(\.count) == 0)
        let (second, added) = (try delivery(2), Latch())
        Thread {
            line.add(second)
            added.open()
        }.start()
        #expect(added.wait())
        #expect(queue.blocks.withLock(\.count) == 1)
        queue.run()
        #expect(served.values == [1, 2])
        // Nothing is left for the round to hand on.
        round.leave()
        #expect(queue.blocks.withLock(\.count) == 0)
    }

    @Test("On a thread without rounds there is no waiting for one")
    func elsewhere() throws {
        let line = DeliveryQueue(.operationQueue(queue))
        line.add(try delivery(1))
        #expect(queue.blocks.withLock(\.count) == 1)
        queue.run()
        #expect(served.values == [1])
    }
}
