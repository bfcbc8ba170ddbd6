import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherTransport

@Suite struct DeliveryQueueTests {
    /// A queue that holds its blocks until `run`.
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

    private let queue = ManualQueue()
    private let delivered = Inbox<Int>()

    private func delivery(_ number: Int) -> @Sendable () -> Void {
        { [delivered] in delivered.put(number) }
    }

    @Test("Transfers that end in one round are delivered together at its end, in order")
    func rounds() {
        let deliveries = DeliveryQueue(.operationQueue(queue))
        let round = LoopIteration()
        round.enter()
        defer { round.leave() }
        for number in 1...3 { deliveries.add(delivery(number)) }
        #expect(queue.blocks.withLock(\.count) == 0)
        round.end()
        #expect(queue.blocks.withLock(\.count) == 1)
        // More transfers may be added before the queue runs.
        deliveries.add(delivery(4))
        round.end()
        #expect(queue.blocks.withLock(\.count) == 1)
        queue.run()
        #expect(delivered.values == [1, 2, 3, 4])
        deliveries.add(delivery(5))
        round.end()
        queue.run()
        #expect(delivered.values == [1, 2, 3, 4, 5])
    }

    @Test("A transfer that ends on another thread does not wait for the round")
    func otherThreads() async {
        let deliveries = DeliveryQueue(.operationQueue(queue))
        let round = LoopIteration()
        round.enter()
        deliveries.add(delivery(1))
        #expect(queue.blocks.withLock(\.count) == 0)
        let (second, added) = (delivery(2), Latch())
        Thread {
            deliveries.add(second)
            added.open()
        }.start()
        #expect(added.wait())
        #expect(queue.blocks.withLock(\.count) == 1)
        queue.run()
        #expect(delivered.values == [1, 2])
        // The round has nothing left to deliver.
        round.leave()
        #expect(queue.blocks.withLock(\.count) == 0)
    }

    @Test("On a thread without rounds, delivery is immediate")
    func withoutRounds() {
        let deliveries = DeliveryQueue(.operationQueue(queue))
        deliveries.add(delivery(1))
        #expect(queue.blocks.withLock(\.count) == 1)
        queue.run()
        #expect(delivered.values == [1])
    }
}
