import Foundation
import KingfisherTestSupport
import Testing

@testable import Kingfisher

/// Who joins a transfer that is just ending hears of its task before its outcome.
@Suite struct OutcomeGateTests {
    private typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    @Test func holdsAnOutcomeUntilItOpens() async throws {
        let queue = MarkedQueue()
        let (gate, passed) = (OutcomeGate(), Inbox<Bool>())
        gate.pass { passed.put(queue.isCurrent) }
        #expect(passed.count == 0)
        gate.open(on: .dispatch(queue.queue))
        #expect(try await passed.first() == true)
        gate.pass { passed.put(queue.isCurrent) }
        #expect(passed.values == [true, false])
        gate.open(on: .untouch)
        #expect(passed.count == 2)
    }

    /// A transfer of the bench's image with one caller that does not know of it yet.
    private func joined(_ bench: Bench) throws -> (SessionDataTask, SessionDataTask.Callback, Inbox<Outcome>)
    {
        let outcomes = Inbox<Outcome>()
        let session = SessionDataTask.idle(bench)
        let callback = SessionDataTask.Callback(
            options: KingfisherParsedOptionsInfo([.callbackQueue(.untouch)]), progress: nil,
            completion: { outcomes.put($0) })
        try #require(session.add(callback) != nil)
        return (session, callback, outcomes)
    }

    @Test func anImageWaitsForTheCallerToKnowItsTask() throws {
        let bench = try Bench()
        let (session, callback, outcomes) = try joined(bench)
        try #require(session.beginDelivery(metrics: nil))
        let response = HTTPURLResponse(
            url: bench.url, statusCode: 200, httpVersion: nil, headerFields: nil)
        DownloadDelivery(
            downloader: bench.downloader, session: session, data: try TestImages.png,
            arrival: ResponseArrival(TransportResponse(try #require(response)), to: nil, startedAt: .now),
            metrics: nil
        ).run()
        #expect(outcomes.count == 0)
        callback.gate.open(on: .untouch)
        #expect(outcomes.values.map(reason) == [nil])
    }

    @Test("A caller that is cancelled hears of it at once, and of nothing else")
    func cancelled() throws {
        let (session, callback, outcomes) = try joined(try Bench())
        session.cancelAll()
        callback.gate.open(on: .untouch)
        #expect(outcomes.values.map { $0.failure?.isTaskCancelled } == [true])
    }
}
