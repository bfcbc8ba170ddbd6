import Foundation
import KingfisherImage
import KingfisherTransport
import Testing

@testable import Kingfisher

@Suite struct TransferStateTests {
    private final class Transfer: TransportTask {
        func cancel() {}
        func resume() {}
    }

    private var caller: SessionDataTask.Callback {
        SessionDataTask.Callback(options: KingfisherParsedOptionsInfo(nil), progress: nil) { _ in }
    }

    private let response: TransportResponse
    private let delivery: TransferState.Delivery

    init() throws {
        let head = HTTPURLResponse(
            url: Bench.freshURL(), statusCode: 200, httpVersion: nil, headerFields: nil)
        response = TransportResponse(try #require(head))
        delivery = TransferState.Delivery(
            input: ProcessingInput(.data(Data([1]))),
            arrival: ResponseArrival(response, to: nil, startedAt: .now))
    }

    /// A running transfer with two callers.
    private func running() -> TransferState {
        var state = TransferState(priority: 0.5, downloader: nil)
        let tokens = (0..<2).map { _ in state.add(caller, acceptsFinished: false) }
        let begins = [state.begin(), state.begin()]
        #expect(tokens == [1, 2] && begins == [true, false])
        return state
    }

    @Test("The last caller to cancel ends the transfer, and gets what it held")
    func cancellation() throws {
        var state = running()
        let transfer = Transfer()
        let isWanted = state.attach(transfer, 1)
        let (first, again) = (state.cancel(1), state.cancel(1))
        #expect(isWanted && first != nil && first?.ending == nil && again == nil && state.phase == .running)
        let last = state.cancel(2)
        #expect(last?.ending?.transfer === transfer && state.transfer == nil && state.phase == .over)
        let late = state.add(caller, acceptsFinished: true)
        #expect(late == nil)
    }

    @Test("A transfer is attached once for each request, and not after the end")
    func attachment() {
        var state = running()
        let (first, second) = (Transfer(), Transfer())
        let areWanted = [state.attach(second, 2), state.attach(first, 1)]
        #expect(areWanted == [true, true] && state.transfer === second)
        let failed = state.fail(metrics: nil).callers
        let isWanted = state.attach(first, 3)
        #expect(failed.count == 2 && !isWanted && state.transfer == nil)
    }

    @Test("Callers are served in order, once, and those that are added during delivery after them")
    func serving() throws {
        var state = running()
        let begins = [state.beginDelivery(metrics: nil).isWanted, state.deliver(delivery)]
        let first = state.nextToServe()?.token
        let added = [state.add(caller, acceptsFinished: false), state.add(caller, acceptsFinished: true)]
        #expect(begins == [true, true] && first == 1 && added == [nil, 3])
        let served = (0..<3).map { _ in state.nextToServe()?.token }
        #expect(served == [2, 3, nil])
        state.hasProcessingFailure = true
        let late = state.add(caller, acceptsFinished: true)
        let left = [state.leave(1), state.leave(2)].map { $0.caller != nil && $0.ending == nil }
        #expect(late == nil && left == [true, true])
        let (last, again) = (state.leave(3), state.leave(3))
        #expect(last.caller != nil && last.ending?.delivery != nil && again.caller == nil)
        let isDelivered = state.deliver(delivery)
        #expect(!isDelivered && state.phase == .over)
    }

    @Test("A transfer without callers is not delivered")
    func unwanted() {
        var state = TransferState(priority: 0.5, downloader: nil)
        let begins = [state.begin(), state.beginDelivery(metrics: nil).isWanted]
        #expect(begins == [true, false] && state.phase == .over)
    }

    @Test("The priority is the highest of the callers, until a program fixes it")
    func priority() {
        var state = running()
        let changes = [
            state.setPriority(0.9, of: 2), state.setPriority(0.7, of: 1), state.setPriority(nil, of: 2),
            state.setPriority(nil, of: 1), state.fixPriority(at: 0.1), state.setPriority(1, of: 1),
        ]
        #expect(changes == [0.9, nil, 0.7, 0.5, 0.1, nil] && state.priority == 0.1)
    }

    @Test("A continued body is as long as announced; another may be longer", arguments: [true, false])
    func lengths(isContinued: Bool) throws {
        var state = running()
        state.receive(
            response, expected: 4, isContinued: isContinued, usesFile: false, mostInMemory: .max)
        let receipt = [UInt8](repeating: 0, count: 3).withUnsafeBytes {
            state.receive($0, file: nil, isWritten: false)
        }
        guard case .received(3, 4, _, _) = receipt else {
            Issue.record("\(receipt)")
            return
        }
        #expect(state.missingBytes == (isContinued ? 1 : nil))
        let size = try #require(state.bodySize(adding: 2))
        #expect(!state.isTooLong(size, adding: 1) && state.isTooLong(size, adding: 2) == isContinued)
    }

    @Test("A transfer that is over holds nothing of its requests, and takes nothing more")
    func release() throws {
        var state = running()
        let request = URLRequest(url: Bench.freshURL())
        let task = SessionDataTask.idle(try Bench())
        func note() {
            _ = state.send(request, continuing: nil)
            state.redirected(by: response)
            state.refuse(.responseError(reason: .noURLResponse(task: task)))
        }
        note()
        #expect(state.sentRequest != nil && state.redirects.count == 1 && state.verdict != nil)
        let ending = state.fail(metrics: nil).ending
        #expect(ending.verdict != nil && ending.sent.request != nil)
        note()
        #expect(state.sentRequest == nil && state.redirects.isEmpty && state.verdict == nil)
    }

    @Test("A transfer proceeds after its last hold")
    func holds() {
        var state = running()
        state.hold()
        state.hold()
        let ends = [state.endHold(), state.endHold()]
        #expect(ends == [false, true])
    }
}
