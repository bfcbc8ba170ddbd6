import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherTransport

@Suite struct RateMeterTests {
    private let zero = MonotonicTime.now

    /// A meter's results at each second, for the total of bytes received by then.
    private func verdicts(_ bytes: [Int], rate: MinimumRate = MinimumRate()) -> [Bool] {
        var meter = RateMeter(rate, at: zero)
        return bytes.enumerated().map { meter.isSlow(at: zero + .seconds($0 + 1), bytes: $1) }
    }

    @Test("A transfer below the rate is slow after a whole window, not before")
    func firstWindow() {
        #expect(verdicts([0, 0, 0, 0, 0, 0]) == [false, false, false, false, true, true])
        #expect(verdicts([0, 0, 0, 0, 5_119]) == [false, false, false, false, true])
        #expect(verdicts([0, 0, 0, 0, 5_120]) == [false, false, false, false, false])
    }

    @Test("The window slides: a fast transfer is slow five seconds after its last byte")
    func slidingWindow() {
        let bytes = [90_000, 100_000, 100_000, 100_000, 100_000, 100_000, 100_000, 100_000]
        #expect(verdicts(bytes).map { $0 ? 1 : 0 } == [0, 0, 0, 0, 0, 0, 1, 1])
        #expect(verdicts((1...20).map { $0 * 1_024 }) == Array(repeating: false, count: 20))
        #expect(verdicts((1...20).map { $0 * 1_000 }).last == true)
    }

    @Test("A transfer that has left the queue, but has not begun, is not slow")
    func waitingTask() throws {
        let url = try #require(URL(string: "http://a.test/"))
        let queue = QueuedTransport(CurlTransport())
        defer { queue.invalidate() }
        let task = QueuedTask(
            request(url) { $0.limits.minimumRate = MinimumRate() }, waits: true, id: TransferOrder.unlisted,
            ticket: QueueTicket(), queue: queue, handler: Recorder(), at: zero)
        #expect(!task.isSlow(at: zero + .seconds(20), isCrowded: true))
    }

    @Test("A pause starts a new window")
    func restartAfterAPause() {
        var meter = RateMeter(MinimumRate(), at: zero)
        let before = meter.isSlow(at: zero + .seconds(4), bytes: 10)
        meter.restart(at: zero + .seconds(60), bytes: 10)
        let after = [64, 65].map { meter.isSlow(at: zero + .seconds($0), bytes: 10) }
        #expect(!before && after == [false, true])
    }

    @Test("Frequent checks store few samples")
    func frequentChecks() {
        var meter = RateMeter(MinimumRate(), at: zero)
        var verdicts: [Bool] = []
        for step in 1...700 { verdicts.append(meter.isSlow(at: zero + .milliseconds(step * 10), bytes: 0)) }
        #expect(verdicts.firstIndex(of: true) == 499)
        #expect(
            Mirror(reflecting: meter).descendant("samples").map { Mirror(reflecting: $0).children.count }
                ?? 99 <= 12)
    }

    @Test("For a crowded host, the window is a fifth as long")
    func crowdedHost() {
        var meter = RateMeter(MinimumRate(), at: zero)
        let early = meter.isSlow(at: zero + .milliseconds(900), bytes: 0, isCrowded: true)
        let silent = meter.isSlow(at: zero + .milliseconds(1_000), bytes: 0, isCrowded: true)
        let busy = meter.isSlow(at: zero + .milliseconds(2_100), bytes: 2_000, isCrowded: true)
        #expect(!early && silent && !busy)
    }
}
