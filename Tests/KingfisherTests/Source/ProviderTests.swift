import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

@testable import Kingfisher

@Suite struct ProviderTests {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    private struct Broken: Error, Equatable {}

    /// A callback provider made of a closure.
    private struct CallbackProvider: ImageDataProvider {
        let cacheKey = "callback"
        let load: @Sendable (@escaping @Sendable (Result<Data, any Error>) -> Void) -> Void

        func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) { load(handler) }
    }

    /// An async provider made of a closure.
    private struct AsyncProvider: ImageDataProvider {
        let cacheKey = "async"
        let load: @Sendable () async throws -> Data

        func data() async throws -> Data { try await load() }
    }

    @Test("An image of a provider is cached like any other")
    func cacheTypes() async throws {
        let bench = try Bench()
        let source = Source.provider(RawImageDataProvider(data: try TestImages.png, cacheKey: "raw"))
        for type in [CacheType.none, .memory, .disk] {
            if type == .disk { bench.cache.clearMemoryCache() }
            #expect(try await bench.retrieve(source, [.waitForCache]).get().cacheType == type)
        }
        #expect(bench.stub.requests.isEmpty)
    }

    @Test("A provider that answers twice completes its request once", arguments: [false, true])
    func answersTwice(failsFirst: Bool) async throws {
        let bench = try Bench()
        let png = try TestImages.png
        let provider = CallbackProvider { handler in
            handler(failsFirst ? .failure(Broken()) : .success(png))
            handler(failsFirst ? .success(png) : .failure(Broken()))
        }
        let inbox = Inbox<Outcome>()
        bench.manager.retrieveImage(with: .provider(provider), options: [.waitForCache]) { inbox.put($0) }
        _ = try await inbox.first()
        try await bench.cache.settle()
        await passMainQueue()
        #expect(inbox.count == 1)
    }

    @Test(
        "A provider that drops its handler fails each caller once and leaks nothing",
        .behaviours("D-3"),
        arguments: [false, true])
    func droppedHandler(isForced: Bool) async throws {
        final class Owner: Sendable {}
        let bench = try Bench()
        let provider = CallbackProvider { handler in
            DispatchQueue.global().asyncAfter(deadline: .now() + 0.01) { withExtendedLifetime(handler) {} }
        }
        let inbox = Inbox<Outcome>()
        let options: KingfisherOptionsInfo = isForced ? [.forceRefresh] : []
        weak var weakOwner: Owner?
        do {
            let owner = Owner()
            weakOwner = owner
            for _ in 0..<10 {
                bench.manager.retrieveImage(with: .provider(provider), options: options) { [owner] in
                    inbox.put($0)
                    withExtendedLifetime(owner) {}
                }
            }
        }
        for outcome in try await inbox.first(10) {
            guard case .imageSettingError(.dataProviderError(_, let cause))? = outcome.failure else {
                Issue.record("\(outcome)")
                continue
            }
            #expect(cause.localizedDescription.contains("dropped its handler"))
        }
        await #expect(throws: KingfisherError.self) {
            try await bench.manager.retrieveImage(
                with: .provider(CallbackProvider { _ in }), options: options)
        }
        try await bench.cache.settle()
        await passMainQueue()
        #expect(inbox.count == 10)
        #expect(await poll { weakOwner == nil })
    }

    @Test("A task retained after completion retains nothing of the request")
    func retainedTask() async throws {
        final class Owner: Sendable {}
        let bench = try Bench()
        let source = Source.provider(RawImageDataProvider(data: try TestImages.png, cacheKey: "raw"))
        let inbox = Inbox<Outcome>()
        weak var weakOwner: Owner?
        let task: DownloadTask?
        do {
            let owner = Owner()
            weakOwner = owner
            task = bench.manager.retrieveImage(
                with: source, options: [.waitForCache],
                progressBlock: { [owner] _, _ in withExtendedLifetime(owner) {} }
            ) { inbox.put($0) }
        }
        _ = try await inbox.first().get()
        // The last step of the load may still be returning.
        #expect(await poll { weakOwner == nil })
        withExtendedLifetime(task) {}
    }

    @Test(
        "A cancelled callback provider completes immediately, and its result is ignored",
        .behaviours("D-1", "D-2")
    )
    func cancelCallbackProvider() async throws {
        let bench = try Bench()
        let handlers = Inbox<@Sendable (Result<Data, any Error>) -> Void>()
        let provider = CallbackProvider { handlers.put($0) }
        let inbox = Inbox<Outcome>()
        let task = bench.manager.retrieveImage(with: .provider(provider)) { inbox.put($0) }
        let handler = try await handlers.first()
        try #require(task).cancel()
        let error = try #require(await inbox.first().failure)
        guard case .requestError(.dataProviderCancelled(let cancelled)) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(cancelled.cacheKey == "callback")
        #expect(!error.isTaskCancelled)
        handler(.success(try TestImages.png))
        try await bench.cache.settle()
        await passMainQueue()
        #expect(inbox.count == 1)
        #expect(!bench.cache.isCached(forKey: "callback"))
    }

    @Test("An async provider observes the cancellation of its task and stops early", .behaviours("D-1"))
    func cancelAsyncProvider() async throws {
        let bench = try Bench()
        let (started, seen) = (Inbox<Void>(), Inbox<Bool>())
        let provider = AsyncProvider {
            started.put()
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                seen.put(Task.isCancelled)
                throw error
            }
            return Data()
        }
        let inbox = Inbox<Outcome>()
        let task = bench.manager.retrieveImage(with: .provider(provider)) { inbox.put($0) }
        _ = try await started.first(1)
        try #require(task).cancel()
        #expect(reason(try await inbox.first()) == "dataProviderCancelled")
        #expect(try await seen.first())
        await passMainQueue()
        #expect(inbox.count == 1)
    }

    @Test(
        "A cancelled request of an async provider completes after data() has ended", .behaviours("M-29"))
    func endsBeforeCompletion() async throws {
        let bench = try Bench()
        let (started, cancelled, ended) = (Inbox<Void>(), Inbox<Void>(), Inbox<Void>())
        let opening = Inbox<Void>()
        let provider = AsyncProvider {
            started.put()
            await withTaskCancellationHandler {
                _ = try? await opening.first(1)
            } onCancel: {
                cancelled.put()
            }
            ended.put()
            throw CancellationError()
        }
        let inbox = Inbox<(Outcome, wasEnded: Bool)>()
        let tasks = (0..<2).map { _ in
            bench.manager.retrieveImage(with: .provider(provider)) { inbox.put(($0, ended.count == 1)) }
        }
        _ = try await started.first(1)
        // Both have read the disk and wait for the bytes.
        try await bench.cache.settle()
        // Another request still wants the bytes, so the provider is not stopped and the cancelled one does
        // not wait.
        try #require(tasks[0]).cancel()
        #expect(reason(try await inbox.first().0) == "dataProviderCancelled" && cancelled.count == 0)
        try #require(tasks[1]).cancel()
        _ = try await cancelled.first(1)
        await passMainQueue()
        #expect(inbox.count == 1)
        opening.put()
        let last = try await inbox.first(2)[1]
        #expect(reason(last.0) == "dataProviderCancelled" && last.wasEnded && started.count == 1)
    }

    @Test("A request cancelled before its provider starts does not start it", .behaviours("M-29"))
    func neverBegins() async throws {
        let load = ProviderLoad()
        load.cancel()
        let (started, inbox) = (Inbox<Void>(), Inbox<Result<Data, any Error>>())
        let provider = AsyncProvider {
            started.put()
            return Data()
        }
        load.start(provider) { inbox.put($0) }
        await #expect(throws: CancellationError.self) { try await inbox.first().get() }
        #expect(started.count == 0)
    }

    @Test("Cancelling after completion has no effect", .behaviours("D-1"))
    func cancelAfterwards() async throws {
        let bench = try Bench()
        let inbox = Inbox<Outcome>()
        let source = Source.provider(RawImageDataProvider(data: try TestImages.png, cacheKey: "raw"))
        let task = bench.manager.retrieveImage(with: source, completionHandler: { inbox.put($0) })
        #expect(reason(try await inbox.first()) == nil)
        task?.cancel()
        await passMainQueue()
        #expect(inbox.count == 1)
    }

    @Test("Cancelling the Swift task cancels the provider's load", .behaviours("D-1"))
    func cancelSwiftTask() async throws {
        let bench = try Bench()
        let started = Inbox<Void>()
        let provider = AsyncProvider {
            started.put()
            try await Task.sleep(for: .seconds(60))
            return Data()
        }
        let task = Task { try await bench.manager.retrieveImage(with: .provider(provider)) }
        _ = try await started.first(1)
        task.cancel()
        let error = await #expect(throws: KingfisherError.self) { _ = try await task.value }
        #expect(error?.reasonName == "dataProviderCancelled")
    }

    @Test("A provider's failure is reported as dataProviderError with the original error", .behaviours("D-3"))
    func providerFails() async throws {
        let bench = try Bench()
        let sources: [any ImageDataProvider] = [
            AsyncProvider { throw Broken() }, CallbackProvider { $0(.failure(Broken())) },
        ]
        for provider in sources {
            let error = try await bench.retrieve(.provider(provider)).failure
            guard case .imageSettingError(.dataProviderError(let failed, let original)) = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(failed.cacheKey == provider.cacheKey)
            #expect(original as? Broken == Broken())
        }
    }

    @Test("Undecodable bytes of a provider fail the processing", .behaviours("D-3"))
    func processingFails() async throws {
        let bench = try Bench()
        let provider = RawImageDataProvider(data: TestImages.garbage, cacheKey: "raw")
        #expect(reason(try await bench.retrieve(.provider(provider))) == "processingFailed")
        #expect(bench.filesOnDisk.isEmpty)
    }

    @Test("onlyFromCache does not ask a provider", .behaviours("D-3"))
    func onlyFromCache() async throws {
        let bench = try Bench()
        let asked = Inbox<Void>()
        let provider = AsyncProvider {
            asked.put()
            return Data()
        }
        #expect(reason(try await bench.retrieve(.provider(provider), [.onlyFromCache])) == "imageNotExisting")
        #expect(asked.count == 0)
    }

    @Test("Either function of a provider may be implemented; each defaults to the other", .behaviours("D-4"))
    func defaults() async throws {
        let bytes = Data([1, 2])
        #expect(try await CallbackProvider { $0(.success(bytes)) }.data() == bytes)
        let called: Result<Data, any Error> = try await outcome { AsyncProvider { bytes }.data(handler: $0) }
        #expect(try called.get() == bytes)
        let failed: Result<Data, any Error> = try await outcome {
            AsyncProvider { throw Broken() }.data(handler: $0)
        }
        #expect(failed.failure as? Broken == Broken())
    }

    @Test(
        "A local file provider reads on its queue, derives its key from the path, and has an async property",
        .behaviours("D-5"))
    func localFile() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "image.png")
        try TestImages.png.write(to: file)
        let marked = MarkedQueue()
        let provider = LocalFileImageDataProvider(fileURL: file, loadingQueue: .dispatch(marked.queue))
        #expect(provider.cacheKey == file.cacheKey)
        #expect(provider.contentURL == file)
        #expect(LocalFileImageDataProvider(fileURL: file, cacheKey: "own").cacheKey == "own")
        let onQueue: Bool = try await outcome { done in provider.data { _ in done(marked.isCurrent) } }
        #expect(onQueue)
        #expect(try await provider.data == TestImages.png)
        #expect(try await LocalFileImageDataProvider(fileURL: file).data() == TestImages.png)
        let missing = LocalFileImageDataProvider(fileURL: folder.url.appending(path: "none"))
        await #expect(throws: (any Error).self) { _ = try await missing.data }
    }

    @Test(
        "With .mainCurrentOrAsync on the main queue a file is loaded synchronously",
        .behaviours("D-5"))
    func localFileOnMain() async throws {
        let file = Fixtures.url(named: "PNG/rgba8.png")
        let provider = LocalFileImageDataProvider(fileURL: file, loadingQueue: .mainCurrentOrAsync)
        let count: Int = try await outcome { done in
            DispatchQueue.main.async {
                let inbox = Inbox<Void>()
                provider.data { _ in inbox.put() }
                done(inbox.count)
            }
        }
        #expect(count == 1)
    }

    @Test("A Base64 provider calls back synchronously, with an error for malformed text", .behaviours("D-6"))
    func base64() throws {
        let inbox = Inbox<Result<Data, any Error>>()
        let png = try TestImages.png
        Base64ImageDataProvider(base64String: png.base64EncodedString(), cacheKey: "key").data {
            inbox.put($0)
        }
        #expect(try inbox.values.map { try $0.get() } == [png])
        Base64ImageDataProvider(base64String: "a", cacheKey: "key").data { inbox.put($0) }
        #expect(inbox.values.last?.failure != nil)
    }
}
