import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

/// Requests of every kind, cancelled at random: each completes once and leaves nothing behind.
/// `KINGFISHER_SOAK=1` makes 20,000 of them. The seed is printed; it does not determine the order of threads.
@Suite struct RandomCancelTests {
    @Test(
        "Random cancels complete once each and leave nothing behind", .behaviours("M-21", "N-3", "N-7", "D-1")
    )
    func randomCancels() async {
        // A separate process, so that resources of other tests do not count.
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            let isLong = ProcessInfo.processInfo.environment["KINGFISHER_SOAK"] != nil
            let count = isLong ? 20_000 : 2_000
            let seed = UInt64.random(in: 0...UInt64.max)
            // Resources created on first use (pools, timers, key queues) are not leaks.
            try await CancelledRequests(seed: seed &+ 1).run(200)
            let before = ProcessResources()
            let threads = ProcessStatus.threads
            let tally = try await CancelledRequests(seed: seed).run(count)
            let settled = await poll { !ProcessResources().exceeds(before) }
            let after = ProcessResources()
            #expect(settled, "\(before) before, \(after) after")
            print(
                "random cancels: \(tally), seed \(seed), threads \(threads) -> \(ProcessStatus.threads)"
            )
            // libdispatch keeps some threads for a while; one per request would be thousands.
            #expect(ProcessStatus.threads < threads + 100)
            #expect(tally.cancelled > count / 10 && tally.succeeded > count / 10)
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        print(output.split(separator: "\n").first { $0.hasPrefix("random cancels") } ?? "no output")
    }
}

/// Starts requests and cancels some of them.
private final class CancelledRequests: Sendable {
    private typealias Plan = CancelledRequestPlan

    struct Tally: CustomStringConvertible {
        var finished = 0
        var succeeded = 0
        var cancelled = 0

        var description: String {
            "\(finished) requests, \(succeeded) succeeded, \(cancelled) cancelled, "
                + "\(finished - succeeded - cancelled) failed"
        }
    }

    private struct State {
        var random: SeededGenerator
        var completions: [Int] = []
        var tally = Tally()
    }

    private let folder: TemporaryFolder
    private let server: LoopbackServer
    private let cache: ImageCache
    private let downloader = ImageDownloader(name: "cancelled")
    private let manager: KingfisherManager
    private let state: Mutex<State>
    private let image: Data

    init(seed: UInt64) throws {
        let image = try TestImages.png
        self.image = image
        folder = try TemporaryFolder()
        server = try LoopbackServer { Plan.answer($0, image) }
        cache = try ImageCache(name: "cancelled", cacheDirectoryURL: folder.url)
        manager = KingfisherManager(downloader: downloader, cache: cache)
        state = Mutex(State(random: SeededGenerator(seed: seed)))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 24
        downloader.sessionConfiguration = configuration
    }

    /// Makes `count` requests, at most 256 at a time, and closes everything except the cache, whose
    /// descriptor is closed with this object.
    @discardableResult
    func run(_ count: Int) async throws -> Tally {
        state.withLock { $0.completions = Array(repeating: 0, count: count) }
        for number in 0..<count {
            // Every request ends by its cancel or by the server, so there is always room eventually.
            let hasRoom = await poll(upTo: .seconds(60)) {
                number - self.state.withLock(\.tally.finished) < 256
            }
            try #require(hasRoom, "requests that never complete: \(unfinished(before: number).prefix(20))")
            let plan = state.withLock { Plan(number, of: &$0.random) }
            cancel(plan, start(plan))
        }
        let isDone = await poll(upTo: .seconds(60)) { self.state.withLock(\.tally.finished) >= count }
        try #require(isDone, "requests that never complete: \(unfinished(before: count).prefix(20))")
        try await cache.settle()
        await passMainQueue()
        // Replaces the transport; a cancelled transfer must not complete a second time.
        downloader.sessionConfiguration = .ephemeral
        #expect(await server.wait { $0.openConnections == 0 })
        #expect(state.withLock { $0.completions.filter { $0 != 1 } } == [])
        server.stop()
        return state.withLock(\.tally)
    }

    private func unfinished(before count: Int) -> [Int] {
        state.withLock { state in (0..<count).filter { state.completions[$0] == 0 } }
    }

    private func end(_ plan: Plan, _ error: (any Error)?) {
        let isCancel = error.map(Plan.isCancellation) ?? false
        state.withLock { state in
            state.completions[plan.number] += 1
            state.tally.finished += 1
            if error == nil { state.tally.succeeded += 1 }
            if isCancel { state.tally.cancelled += 1 }
        }
    }

    /// Starts a request. The result cancels it.
    private func start(_ plan: Plan) -> @Sendable () -> Void {
        let url = server.url(plan.path)
        switch plan.method {
        case .downloader:
            let task = downloader.downloadImage(with: url, options: plan.options) { [self] result in
                end(plan, result.failure)
            }
            return { task.cancel() }
        case .url:
            downloader.downloadImage(with: url, options: plan.options) { [self] result in
                end(plan, result.failure)
            }
            return { [downloader] in downloader.cancel(url: url) }
        case .manager, .progress: return retrieve(plan, .network(url))
        case .task:
            return perform(plan) { [manager] in
                _ = try await manager.retrieveImage(with: url, options: plan.options)
            }
        case .livePhoto:
            return perform(plan) { [manager] in
                _ = try await manager.retrieveLivePhoto(
                    with: LivePhotoSource([LivePhotoResource(downloadURL: url, fileType: .heic)]),
                    options: plan.options)
            }
        case .asyncProvider: return retrieve(plan, .provider(LateAsyncProvider(plan: plan, image: image)))
        case .callbackProvider:
            return retrieve(plan, .provider(LateCallbackProvider(plan: plan, image: image)))
        }
    }

    private func retrieve(_ plan: Plan, _ source: Source) -> @Sendable () -> Void {
        let holder = TaskHolder()
        let progress: DownloadProgressBlock = { _, _ in holder.cancel() }
        let task = manager.retrieveImage(
            with: source, options: plan.options, progressBlock: plan.method == .progress ? progress : nil
        ) { [self] result in
            end(plan, result.failure)
        }
        holder.hold(task)
        return { task?.cancel() }
    }

    private func perform(
        _ plan: Plan, _ body: @escaping @Sendable () async throws -> Void
    ) -> @Sendable () -> Void {
        let task = Task { [self] in
            do {
                try await body()
                end(plan, nil)
            } catch {
                end(plan, error)
            }
        }
        return { task.cancel() }
    }

    /// Runs `work` when the plan has a cancel.
    private func cancel(_ plan: Plan, _ work: @escaping @Sendable () -> Void) {
        switch plan.cancelAfter {
        case nil: break
        case 0?: work()
        case let milliseconds?:
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: work)
        }
    }
}

private struct CancelledRequestPlan: Sendable {
    enum Method: CaseIterable {
        case downloader, url, manager, progress, task, livePhoto, asyncProvider, callbackProvider
    }

    /// The server's response, by the last letter of the path; the last two never end by themselves.
    enum Reply: String, CaseIterable {
        case whole = "w"
        case redirected = "r"
        case lost = "b"
        case dripping = "d"
        case late = "l"
        case hanging = "h"
        case half = "p"
    }

    let number: Int
    let method: Method
    let path: String
    let options: KingfisherOptionsInfo
    /// Milliseconds until the cancel; nil for none.
    let cancelAfter: Int?
    let delay: Duration

    init(_ number: Int, of random: inout SeededGenerator) {
        self.number = number
        method = Method.allCases.randomElement(using: &random) ?? .manager
        let reply = Reply.allCases.randomElement(using: &random) ?? .whole
        // Requests with near numbers share URLs and cached images.
        path = "/\(number / 64 + Int.random(in: 0..<8, using: &random))\(reply.rawValue)"
        delay = .milliseconds(Int.random(in: 0..<6, using: &random))
        let endsItself =
            ![.hanging, .half].contains(reply) || [.asyncProvider, .callbackProvider].contains(method)
        let isUncancelled = endsItself && Int.random(in: 0..<3, using: &random) == 0
        cancelAfter =
            isUncancelled ? nil : Bool.random(using: &random) ? 0 : Int.random(in: 1..<25, using: &random)
        options = Self.options(&random)
    }

    private static func options(_ random: inout SeededGenerator) -> KingfisherOptionsInfo {
        var options: KingfisherOptionsInfo = []
        switch Int.random(in: 0..<5, using: &random) {
        case 0: options.append(.forceRefresh)
        case 1: options.append(.waitForCache)
        case 2: options.append(.cacheMemoryOnly)
        default: break
        }
        if Bool.random(using: &random) { options.append(.callbackQueue(.untouch)) }
        if Int.random(in: 0..<3, using: &random) == 0 {
            options.append(.processor(BlurImageProcessor(blurRadius: 1)))
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let late = Int.random(in: 0..<4, using: &random)
            options.append(
                .redirectHandler(
                    AnyRedirectHandler { _, _, request, answer in
                        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(late)) {
                            answer(request)
                        }
                    }))
        }
        return options
    }

    static func answer(_ request: ServerRequest, _ image: Data) -> ServerResponse {
        switch Reply(rawValue: String(request.path.suffix(1))) {
        case .redirected: .redirect(to: request.path.dropLast() + "w")
        case .lost: .partial(image.prefix(40), of: image.count, then: .reset)
        case .dripping: .ok(image).dripping(image.count / 6 + 1, every: .milliseconds(1))
        case .late: .ok(image).delayed(by: .milliseconds(5))
        case .hanging: ServerResponse([.hang])
        case .half: .partial(image.prefix(40), of: image.count, then: .hang)
        default: .ok(image)
        }
    }

    static func isCancellation(_ error: any Error) -> Bool {
        guard let error = error as? KingfisherError else { return error is CancellationError }
        switch error {
        case .requestError(.taskCancelled), .requestError(.dataProviderCancelled),
            .requestError(.asyncTaskContextCancelled), .requestError(.livePhotoTaskCancelled):
            return true
        default: return false
        }
    }
}

/// Lets a progress block cancel its task, which is set later.
private final class TaskHolder: Sendable {
    private let task = Mutex<DownloadTask?>(nil)

    func hold(_ new: DownloadTask?) { task.withLock { $0 = new } }

    func cancel() { task.withLock(\.self)?.cancel() }
}

private struct LateAsyncProvider: ImageDataProvider {
    let plan: CancelledRequestPlan
    let image: Data

    var cacheKey: String { plan.path }

    func data() async throws -> Data {
        try await Task.sleep(for: plan.delay)
        return image
    }
}

private struct LateCallbackProvider: ImageDataProvider {
    let plan: CancelledRequestPlan
    let image: Data

    var cacheKey: String { plan.path }

    func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + plan.delay / .seconds(1)) {
            handler(.success(image))
        }
    }
}
