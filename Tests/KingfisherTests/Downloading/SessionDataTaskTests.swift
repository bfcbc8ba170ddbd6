@testable import Kingfisher
import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing
import TestHelpers

@Suite struct SessionDataTaskTests {
    @Test("mutableData is an independent copy on every read", .behaviours("N-19"))
    func independentCopies() async throws {
        let png = try TestImages.png
        let bench = try Bench(serving: png)
        bench.stub.hold()
        let done = Inbox<Bool>()
        let task = bench.downloader.downloadImage(with: bench.url) { done.put(reason($0) == nil) }
        let session = try #require(task.sessionTask)
        #expect(session.mutableData.isEmpty)
        #expect(session.metrics == nil)
        bench.stub.release()
        #expect(try await done.first())
        var copy = session.mutableData
        #expect(copy == png)
        copy.append(contentsOf: [1, 2, 3])
        copy[copy.startIndex] = 0
        #expect(session.mutableData == png)
        #expect(session.metrics?.httpStatusCode == 200)
    }

    @Test("A transfer that is attached after its end is not retained")
    func endedEarly() throws {
        final class Transfer: TransportTask {
            func cancel() {}
            func resume() {}
        }
        let session = SessionDataTask.idle(try Bench())
        let options = KingfisherParsedOptionsInfo(nil)
        _ = session.add(SessionDataTask.Callback(options: options, progress: nil) { _ in })
        #expect(session.update { $0.begin() } && session.beginDelivery(metrics: nil))
        weak var released: Transfer?
        do {
            let transfer = Transfer()
            released = transfer
            session.attach(transfer, 1, startedWith: 0.25)
        }
        #expect(released == nil)
    }

    @Test("The task has request, response, received bytes and state like a URLSession task")
    func facade() async throws {
        let png = try TestImages.png
        let bench = try Bench(serving: png)
        bench.stub.hold()
        let done = Inbox<Void>()
        let task = bench.downloader.downloadImage(with: bench.url) { _ in done.put() }
        let session = try #require(task.sessionTask)
        #expect(session.originalURL == bench.url)
        #expect(session.task.originalRequest?.url == bench.url)
        #expect(session.task.state == .running)
        bench.stub.release()
        _ = try await done.first(1)
        #expect((session.task.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(session.task.countOfBytesReceived == Int64(png.count))
        #expect(session.task.state == .completed)
    }

    @Test(
        "The task is the same object on every read and keeps its description without other references")
    func facadeConstancy() throws {
        let session = SessionDataTask.idle(try Bench())
        session.task.taskDescription = "by hand"
        let identity = ObjectIdentifier(session.task)
        // New tasks would reuse the memory of a released one.
        let others = try (0..<8).map { _ in SessionDataTask.idle(try Bench()).task }
        #expect(session.task.taskDescription == "by hand" && ObjectIdentifier(session.task) == identity)
        withExtendedLifetime(others) {}
    }

    @Test("The task does not retain its session, and keeps the transfer's state when that is released")
    func facadeOutlives() throws {
        let bench = try Bench()
        weak var released: SessionDataTask?
        let task: URLSessionDataTask
        do {
            let session = SessionDataTask.idle(bench, url: bench.url)
            released = session
            _ = Data([1, 2, 3]).withUnsafeBytes { session.didReceive($0) }
            task = session.task
        }
        #expect(released == nil)
        #expect(task.countOfBytesReceived == 3 && task.originalRequest?.url == bench.url)
        task.cancel()
        #expect(task.state == .suspended)
    }

    @Test("Two transfers have separate tasks, identifiers and priorities")
    func facadeIdentity() throws {
        let bench = try Bench()
        let session = SessionDataTask.idle(bench)
        let task = session.task
        task.priority = 0.8
        #expect(session.task === task && session.priority == 0.8)
        let identifier = task.taskIdentifier
        let other = SessionDataTask.idle(bench)
        #expect(other.task !== task && other.task.taskIdentifier != identifier)
        #expect(session.task.state == .suspended)
    }

    @Test("Cancelling the shared task after its data has arrived does not affect its callers")
    func cancelsTooLate() throws {
        let session = SessionDataTask.idle(try Bench())
        let outcomes = Inbox<Bool>()
        let callback = SessionDataTask.Callback(
            options: KingfisherParsedOptionsInfo([.callbackQueue(.untouch)]), progress: nil
        ) { _ in outcomes.put(true) }
        let token = try #require(session.add(callback))
        #expect(session.update { $0.begin() } && session.beginDelivery(metrics: nil))
        session.task.cancel()
        #expect(session.leave(token) && outcomes.count == 0)
    }

    @Test(
        "Data that was not an image for one caller is not given to later callers", .behaviours("R-6"),
        arguments: [true, false])
    func lateCallers(wasImage: Bool) throws {
        let session = SessionDataTask.idle(try Bench())
        let callback = SessionDataTask.Callback(options: KingfisherParsedOptionsInfo(nil), progress: nil) {
            _ in
        }
        #expect(session.add(callback) != nil)
        #expect(session.update { $0.begin() } && session.beginDelivery(metrics: nil))
        session.didMake(wasImage ? try TestImages.image : nil, of: ProcessingInput(.data(Data())))
        #expect((session.add(callback, acceptsFinished: true) != nil) == wasImage)
    }

    @Test("A retained task does not retain its downloader", arguments: [true, false])
    func keepsNoDownloader(isCancelled: Bool) async throws {
        let stub = StubTransport { _ in .ok(Data([1])) }
        stub.hold()
        let done = Inbox<Void>()
        var task: DownloadTask?
        weak var released: ImageDownloader?
        do {
            let downloader = ImageDownloader(name: "released", transport: stub)
            released = downloader
            task = downloader.downloadImage(
                with: Bench.freshURL(), options: [.callbackQueue(.untouch)]
            ) { _ in done.put() }
        }
        #expect(task?.sessionTask != nil)
        if isCancelled { task?.cancel() }
        stub.release()
        _ = try await done.first(1)
        #expect(await poll { released == nil })
    }

    @Test("Cancelling the shared task fails every caller once", .behaviours("N-19"))
    func cancelFacade() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let done = Inbox<Bool>()
        let tasks = (0..<3).map { _ in
            bench.downloader.downloadImage(with: bench.url) { done.put($0.failure?.isTaskCancelled == true) }
        }
        try #require(tasks[0].sessionTask).task.cancel()
        #expect(try await done.first(3) == [true, true, true])
        #expect(await poll { bench.stub.liveTransfers == 0 })
        await passMainQueue()
        #expect(done.count == 3)
    }

    @Test("Callers on many threads, some of which cancel, complete once each", .behaviours("N-19"))
    func manyThreads() async throws {
        let bench = try Bench()
        let done = Inbox<Int>()
        DispatchQueue.global().async {
            DispatchQueue.concurrentPerform(iterations: 400) { number in
                let task = bench.downloader.downloadImage(
                    with: bench.url, options: [.callbackQueue(.untouch)]
                ) { _ in done.put(number) }
                if number.isMultiple(of: 3) { task.cancel() }
                if number.isMultiple(of: 50) { bench.downloader.cancelAll() }
            }
        }
        #expect(try await done.first(400).sorted() == Array(0..<400))
        #expect(await poll { bench.stub.liveTransfers == 0 })
        #expect(done.count == 400)
    }
}
