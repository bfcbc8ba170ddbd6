@testable import Kingfisher
import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Testing
import TestTraits

@Suite struct SessionDataTaskTests {
    @Test("MutableData is an independent copy on every read", .behaviours("N-19"))
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

    @Test("A transfer that ended before its starter was told how to stop it keeps nothing of it")
    func endedEarly() throws {
        final class Transfer: TransportTask {
            func cancel() {}
            func resume() {}
        }
        let session = SessionDataTask.idle(try Bench())
        let options = KingfisherParsedOptionsInfo(nil)
        _ = session.add(SessionDataTask.Callback(options: options, progress: nil) { _ in })
        #expect(session.begin() && session.beginDelivery(metrics: nil))
        weak var kept: Transfer?
        do {
            let transfer = Transfer()
            kept = transfer
            session.attach(transfer, startedWith: 0.25)
        }
        #expect(kept == nil)
    }

    @Test("The task looks like a URLSession's: request, response, bytes received, state")
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
        "The task is the same object at every read, and keeps what is written on it, though nobody holds it")
    func facadeConstancy() throws {
        let session = SessionDataTask.idle(try Bench())
        session.task.taskDescription = "by hand"
        let identity = ObjectIdentifier(session.task)
        // They would take the place of one that had gone.
        let others = try (0..<8).map { _ in SessionDataTask.idle(try Bench()).task }
        #expect(session.task.taskDescription == "by hand" && ObjectIdentifier(session.task) == identity)
        withExtendedLifetime(others) {}
    }

    @Test("The task keeps no session alive, and still knows of the transfer when that is gone")
    func facadeOutlives() throws {
        let bench = try Bench()
        weak var gone: SessionDataTask?
        let task: URLSessionDataTask
        do {
            let session = SessionDataTask.idle(bench, url: bench.url)
            gone = session
            _ = Data([1, 2, 3]).withUnsafeBytes { session.didReceive($0) }
            task = session.task
        }
        #expect(gone == nil)
        #expect(task.countOfBytesReceived == 3 && task.originalRequest?.url == bench.url)
        task.cancel()
        #expect(task.state == .suspended)
    }

    @Test("Two transfers have two tasks, with identifiers and priorities of their own")
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

    @Test("Cancelling the shared task when its bytes are here takes them from nobody")
    func cancelsTooLate() throws {
        let session = SessionDataTask.idle(try Bench())
        let outcomes = Inbox<Bool>()
        let callback = SessionDataTask.Callback(
            options: KingfisherParsedOptionsInfo([.callbackQueue(.untouch)]), progress: nil
        ) { _ in outcomes.put(true) }
        let token = try #require(session.add(callback))
        #expect(session.begin() && session.beginDelivery(metrics: nil))
        session.task.cancel()
        #expect(session.claim(token, withImage: true) && outcomes.count == 0)
    }

    @Test(
        "Bytes that were no image to one caller are given to no later one", .behaviours("R-6"),
        arguments: [true, false])
    func lateCallers(wasImage: Bool) throws {
        let session = SessionDataTask.idle(try Bench())
        let callback = SessionDataTask.Callback(options: KingfisherParsedOptionsInfo(nil), progress: nil) {
            _ in
        }
        let token = try #require(session.add(callback))
        #expect(session.begin() && session.beginDelivery(metrics: nil))
        #expect(session.claim(token, withImage: wasImage))
        #expect((session.add(callback, acceptsFinished: true) != nil) == wasImage)
    }

    @Test("A task that is kept keeps no downloader", arguments: [true, false])
    func keepsNoDownloader(isCancelled: Bool) async throws {
        let stub = StubTransport { _ in .ok(Data([1])) }
        stub.hold()
        let done = Inbox<Void>()
        var task: DownloadTask?
        weak var kept: ImageDownloader?
        do {
            let downloader = ImageDownloader(name: "gone", transport: stub)
            kept = downloader
            task = downloader.downloadImage(
                with: Bench.freshURL(), options: [.callbackQueue(.untouch)]
            ) { _ in done.put() }
        }
        #expect(task?.sessionTask != nil)
        if isCancelled { task?.cancel() }
        stub.release()
        _ = try await done.first(1)
        #expect(await poll { kept == nil })
    }

    @Test("Cancelling the shared task itself fails every caller, once", .behaviours("N-19"))
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

    @Test("Callers come and go from many threads, and each hears once", .behaviours("N-19"))
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
