import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct DownloadSharingTests {
    typealias Outcome = Result<ImageLoadingResult, KingfisherError>

    @Test("Concurrent callers of a URL share its task, each with its own callback", .behaviours("N-1"))
    func sharing() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let inbox = Inbox<Outcome>()
        let tasks = (0..<10).map { _ in bench.downloader.downloadImage(with: bench.url) { inbox.put($0) } }
        let session = try #require(tasks[0].sessionTask)
        #expect(tasks.allSatisfy { $0.isInitialized && $0.sessionTask === session })
        #expect(tasks.allSatisfy { $0.sessionTask?.task == session.task })
        #expect(Set(tasks.map(\.cancelToken)).count == 10)
        bench.stub.release()
        let outcomes = try await inbox.first(10)
        #expect(outcomes.allSatisfy { reason($0) == nil })
        #expect(bench.stub.requests.count == 1)
    }

    @Test("Ten downloads on ten threads at the same time all succeed", .behaviours("N-1"))
    func manyThreads() async throws {
        let bench = try Bench()
        let inbox = Inbox<Outcome>()
        DispatchQueue.global().async {
            DispatchQueue.concurrentPerform(iterations: 10) { _ in
                bench.downloader.downloadImage(with: bench.url, options: [.callbackQueue(.untouch)]) {
                    inbox.put($0)
                }
            }
        }
        #expect(try await inbox.first(10).allSatisfy { reason($0) == nil })
        await passMainQueue()
        #expect(inbox.count == 10)
    }

    @Test(
        "Different URLs have separate tasks; a new call after completion downloads again",
        .behaviours("N-1"))
    func separateTasks() async throws {
        let bench = try Bench()
        let other = Bench.freshURL()
        for url in [bench.url, other, bench.url] {
            #expect(try await bench.downloader.downloadImage(with: url).url == url)
        }
        #expect(bench.stub.requests.map(\.url) == [bench.url, other, bench.url])
    }

    @Test(
        "Among callers with equal header fields, the first one's request and priority are used",
        .behaviours("N-1"))
    func firstCallerWins() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let inbox = Inbox<Outcome>()
        for (isFirst, priority) in [(true, Float(0.9)), (false, 0.1)] {
            let modifier = AnyModifier { request in
                var request = request
                request.allowsCellularAccess = isFirst
                return request
            }
            let task = bench.downloader.downloadImage(
                with: bench.url, options: [.requestModifier(modifier), .downloadPriority(priority)]
            ) { inbox.put($0) }
            #expect(task.sessionTask?.task.priority == 0.9)
        }
        bench.stub.release()
        _ = try await inbox.first(2)
        #expect(bench.stub.requests.map(\.allowsCellularAccess) == [true])
    }

    @Test(
        "A shared download is processed once for each identifier, and each callback gets its result",
        .behaviours("N-2"))
    func processingOncePerIdentifier() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let (one, two) = (try TestImages.image, try TestImages.image)
        let first = CountingProcessor("first") { _ in one }
        let again = CountingProcessor("first") { _ in one }
        let second = CountingProcessor("second") { _ in two }
        let inboxes = [first, again, second, first].map { processor in
            let inbox = Inbox<Outcome>()
            bench.downloader.downloadImage(with: bench.url, options: [.processor(processor)]) {
                inbox.put($0)
            }
            return inbox
        }
        bench.stub.release()
        var images: [Image] = []
        for inbox in inboxes { images.append(try await inbox.first().get().image) }
        #expect(images == [one, one, two, one])
        #expect(first.calls + again.calls == 1)
        #expect(second.calls == 1)
        #expect(bench.stub.requests.count == 1)
    }

    @Test("If one processor fails, the other still succeeds", .behaviours("N-2"))
    func oneProcessorFails() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let bad = CountingProcessor("bad") { _ in nil }
        let inbox = Inbox<Outcome>()
        let failing = Inbox<Outcome>()
        bench.downloader.downloadImage(with: bench.url, options: [.processor(bad)]) { failing.put($0) }
        bench.downloader.downloadImage(with: bench.url) { inbox.put($0) }
        bench.stub.release()
        #expect(reason(try await inbox.first()) == nil)
        guard
            case .processorError(.processingFailed(let processor, .data)) = try await failing.first().failure
        else {
            Issue.record("\(failing.values)")
            return
        }
        #expect(processor.identifier == "bad")
    }

    @Test(
        "Callers with the same identifier and different scales get the scale they requested",
        .behaviours("N-2"))
    func scaleOfEachCaller() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let inboxes = [CGFloat(1), 2, 1].map { scale in
            let inbox = Inbox<Outcome>()
            bench.downloader.downloadImage(with: bench.url, options: [.scaleFactor(scale)]) { inbox.put($0) }
            return inbox
        }
        bench.stub.release()
        var scales: [CGFloat] = []
        for inbox in inboxes { scales.append(try await inbox.first().get().image.scale) }
        #expect(scales == [1, 2, 1])
    }

    @Test("Each callback is called on its own queue", .behaviours("N-25"))
    func deliveryQueues() async throws {
        let bench = try Bench()
        bench.stub.hold()
        let marked = MarkedQueue()
        let (onMarked, onMain) = (Inbox<Bool>(), Inbox<Bool>())
        bench.downloader.downloadImage(
            with: bench.url, options: [.callbackQueue(.dispatch(marked.queue))]
        ) { _ in onMarked.put(marked.isCurrent) }
        bench.downloader.downloadImage(with: bench.url) { _ in onMain.put(MainQueue.isCurrent) }
        bench.stub.release()
        #expect(try await onMarked.first())
        #expect(try await onMain.first())
    }

    @Test("The downloader does not call the image modifier", .behaviours("N-20"))
    func modifier() async throws {
        let bench = try Bench()
        let modifier = CountingModifier()
        let result = try await bench.downloader.downloadImage(
            with: bench.url, options: [.imageModifier(modifier)])
        #expect(result.image.renderingMode == .automatic)
        #expect(modifier.calls == 0)
        #expect(try result.originalData == TestImages.png)
    }
}
