import Foundation
import Glibc
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct DownloadCancelTests {
    typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    private func start(_ bench: Bench, _ url: URL? = nil) -> (task: DownloadTask, inbox: Inbox<Outcome>) {
        let inbox = Inbox<Outcome>()
        return (bench.downloader.downloadImage(with: url ?? bench.url) { inbox.put($0) }, inbox)
    }

    @Test("Cancelling one of several callers fails only its callback", .behaviours("N-3"))
    func cancelOne() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let callers = (0..<3).map { _ in start(bench) }
        callers[1].task.cancel()
        let error = try #require(await callers[1].inbox.first().failure)
        #expect(error.isTaskCancelled)
        guard case .requestError(.taskCancelled(let task, let token)) = error else { return }
        #expect(task === callers[1].task.sessionTask)
        #expect(token == callers[1].task.cancelToken)
        #expect(bench.stub.liveTransfers == 1)
        bench.stub.release()
        #expect(reason(try await callers[0].inbox.first()) == nil)
        #expect(reason(try await callers[2].inbox.first()) == nil)
        #expect(callers.map(\.inbox.count) == [1, 1, 1])
    }

    @Test("Cancelling the last caller ends the transfer", .behaviours("N-3"))
    func cancelLast() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let callers = (0..<3).map { _ in start(bench) }
        for caller in callers { caller.task.cancel() }
        for caller in callers { #expect(try await caller.inbox.first().failure?.isTaskCancelled == true) }
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }

    @Test("cancelAll fails every pending callback", .behaviours("N-4"))
    func cancelAll() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let callers = [start(bench), start(bench), start(bench, Bench.freshURL())]
        bench.downloader.cancelAll()
        for caller in callers { #expect(try await caller.inbox.first().failure?.isTaskCancelled == true) }
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }

    @Test("Cancelling a URL leaves other URLs alone", .behaviours("N-4"))
    func cancelURL() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let callers = [start(bench), start(bench)]
        let other = start(bench, Bench.freshURL())
        bench.downloader.cancel(url: bench.url)
        for caller in callers { #expect(try await caller.inbox.first().failure?.isTaskCancelled == true) }
        bench.stub.release()
        #expect(reason(try await other.inbox.first()) == nil)
    }

    @Test(
        "After a cancel and an immediate restart, the first fails and the second succeeds on a new task",
        .behaviours("N-5"))
    func restart() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let first = start(bench)
        first.task.cancel()
        let second = start(bench)
        #expect(first.task.sessionTask !== second.task.sessionTask)
        bench.stub.release()
        #expect(try await first.inbox.first().failure?.isTaskCancelled == true)
        #expect(reason(try await second.inbox.first()) == nil)
        #expect(bench.stub.requests.count == 2)
    }

    /// Sends half of the announced length piece by piece, then nothing.
    private func drippingServer() throws -> LoopbackServer {
        let half = Data(repeating: 7, count: 100_000)
        return try LoopbackServer { _ in
            ServerResponse([
                .send(ServerResponse.head(200, headers: [("Content-Length", "200000")])),
                .drip(half, piece: 2_000, every: .milliseconds(2)), .hang,
            ])
        }
    }

    @Test("Progress that waits in the main queue is not reported after a cancel", .behaviours("N-6"))
    @MainActor func noScheduledProgressAfterCancel() async throws {
        let server = try drippingServer()
        defer { server.stop() }
        let events = Inbox<String>()
        let task = ImageDownloader(name: "progress").downloadImage(
            with: server.url("/slow"), progressBlock: { _, _ in events.put("progress") }
        ) { _ in events.put("completed") }
        // Does not yield the main queue: reports wait in it when the second piece arrives.
        let deadline = ContinuousClock.now + .seconds(10 * ProcessStatus.slowness)
        while (task.sessionTask?.mutableData.count ?? 0) < 3_000, ContinuousClock.now < deadline {
            usleep(1_000)
        }
        task.cancel()
        await passMainQueue()
        #expect(await poll { @Sendable in events.values.contains("completed") })
        #expect(events.values == ["completed"])
    }

    @Test("No progress is reported after a cancel", .behaviours("N-6"))
    func noProgressAfterCancel() async throws {
        let server = try drippingServer()
        defer { server.stop() }
        let downloader = ImageDownloader(name: "progress")
        let events = Inbox<String>()
        let task = downloader.downloadImage(
            with: server.url("/slow"), progressBlock: { _, _ in events.put("progress") }
        ) { _ in events.put("completed") }
        _ = try await events.first(1)
        task.cancel()
        #expect(await poll { events.values.contains("completed") })
        let count = events.count
        #expect(await poll { server.openConnections == 0 })
        await passMainQueue()
        #expect(events.count == count)
        #expect(events.values.last == "completed")
    }

    @Test("Cancelling after completion does nothing", .behaviours("N-7"))
    func cancelAfterCompletion() async throws {
        let bench = try Bench()
        let caller = start(bench)
        #expect(reason(try await caller.inbox.first()) == nil)
        caller.task.cancel()
        caller.task.cancel()
        bench.downloader.cancelAll()
        await passMainQueue()
        #expect(caller.inbox.count == 1)
    }

    @Test("Cancelling twice calls back once", .behaviours("N-3"))
    func cancelTwice() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let caller = start(bench)
        caller.task.cancel()
        caller.task.cancel()
        bench.stub.release()
        #expect(try await caller.inbox.only().failure?.isTaskCancelled == true)
    }

    @Test("Cancelling the Swift task throws taskCancelled", .behaviours("N-21"))
    func swiftTask() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let task = Task { try await bench.downloader.downloadImage(with: bench.url) }
        #expect(await poll { bench.stub.requests.count == 1 })
        task.cancel()
        let error = await #expect(throws: KingfisherError.self) { _ = try await task.value }
        #expect(error?.isTaskCancelled == true)
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }

    @Test("A Swift task cancelled beforehand never receives the server's response", .behaviours("N-21"))
    func swiftTaskCancelledBefore() async throws {
        let bench = try Bench()
        let inbox = Inbox<Result<ImageLoadingResult, any Error>>()
        let gate = Latch()
        let task = Task.detached {
            await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    _ = gate.wait(); continuation.resume()
                }
            }
            do {
                inbox.put(.success(try await bench.downloader.downloadImage(with: bench.url)))
            } catch {
                inbox.put(.failure(error))
            }
        }
        task.cancel()
        gate.open()
        #expect((try await inbox.first().failure as? KingfisherError)?.isTaskCancelled == true)
        #expect(await poll { bench.stub.liveTransfers == 0 })
    }
}
