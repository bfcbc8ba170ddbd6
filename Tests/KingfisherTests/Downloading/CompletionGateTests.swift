import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// A caller that joins an ending transfer gets its task before its outcome.
@Suite struct OutcomeGateTests {
    private typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    @Test func holdsAnOutcomeUntilItOpens() async throws {
        let queue = MarkedQueue()
        let (gate, passed) = (CompletionGate(), Inbox<Bool>())
        gate.pass { passed.put(queue.isCurrent) }
        #expect(passed.count == 0)
        gate.open(on: .dispatch(queue.queue))
        #expect(try await passed.first() == true)
        gate.pass { passed.put(queue.isCurrent) }
        #expect(passed.values == [true, false])
        gate.open(on: .untouch)
        #expect(passed.count == 2)
    }

    /// A transfer with one caller that does not have its task yet.
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
        session.deliver(
            ProcessingInput(.data(try TestImages.png), place: .queue(.untouch), observer: session),
            ResponseArrival(TransportResponse(try #require(response)), to: nil, startedAt: .now))
        #expect(outcomes.count == 0)
        callback.gate.open(on: .untouch)
        #expect(outcomes.values.map(reason) == [nil])
    }

    @Test("A cancelled caller gets the cancellation immediately and nothing else")
    func cancelled() throws {
        let (session, callback, outcomes) = try joined(try Bench())
        session.cancelAll()
        callback.gate.open(on: .untouch)
        #expect(outcomes.values.map { $0.failure?.isTaskCancelled } == [true])
    }
}
