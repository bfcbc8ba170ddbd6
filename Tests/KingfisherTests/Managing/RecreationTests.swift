import Foundation
import KingfisherImage
import KingfisherTestSupport
import Testing
import TestHelpers

@testable import Kingfisher

/// M-13: an animation in memory with other creating options is recreated off the calling thread.
@Suite struct RecreationTests {
    private typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    private let bench: Bench
    private let processor = CountingProcessor("recreation")
    private let queue = DispatchQueue(label: "recreation tests", attributes: .concurrent)

    init() throws {
        bench = try Bench(serving: try TestImages.gif)
    }

    private var options: KingfisherOptionsInfo {
        [.processor(processor), .processingQueue(.dispatch(queue)), .callbackQueue(.untouch)]
    }

    private func preload() async throws -> Image {
        let loaded = try await bench.retrieve(nil, options + [.preloadAllAnimationData, .waitForCache]).get()
        #expect(processor.calls == 1)
        return loaded.image
    }

    /// Requests the image with frames on demand.
    private func start(
        _ processor: CountingProcessor? = nil, isCurrent: (@Sendable () -> Bool)? = nil
    ) -> (task: DownloadTask?, outcomes: Inbox<Outcome>) {
        let outcomes = Inbox<Outcome>()
        let extra: KingfisherOptionsInfo = processor.map { [.processor($0)] } ?? []
        let task = bench.manager.retrieveImage(
            RequestPlan(
                .network(bench.url), bench.manager.parsedOptions(options + extra), isCurrent: isCurrent)
        ) { outcomes.put($0) }
        return (task, outcomes)
    }

    @Test("Accepting partial images does not recreate an animation in memory", .behaviours("M-2"))
    func partialImages() async throws {
        let loaded = try await preload()
        func retrieve(_ options: KingfisherOptionsInfo) throws -> Image {
            let outcomes = Inbox<Outcome>()
            let task = bench.manager.retrieveImage(with: .network(bench.url), options: options) {
                outcomes.put($0)
            }
            #expect(task == nil)
            return try #require(outcomes.values.first).get().image
        }
        #expect(try retrieve(options + [.preloadAllAnimationData, .acceptsPartialImages]) === loaded)
        let recreated = try await start().outcomes.first().get().image
        #expect(try retrieve(options + [.acceptsPartialImages]) === recreated)
        #expect(processor.calls == 2)
    }

    @Test("A cancelled recreation decodes nothing")
    func cancelled() async throws {
        let loaded = try await preload()
        queue.suspend()
        let (task, outcomes) = start()
        #expect(outcomes.count == 0)
        task?.cancel()
        queue.resume()
        #expect(try await outcomes.first().failure?.isTaskCancelled == true)
        queue.sync(flags: .barrier) {}
        #expect(outcomes.count == 1 && processor.calls == 1)
        #expect(loaded.images != nil && bench.stub.requests.count == 1)
    }

    @Test("A superseded request decodes nothing")
    func superseded() async throws {
        let loaded = try await preload()
        let isCurrent = Locked(true)
        queue.suspend()
        let (_, outcomes) = start(isCurrent: { isCurrent.withLock { $0 } })
        isCurrent.withLock { $0 = false }
        queue.resume()
        #expect(reason(try await outcomes.first()) == "imageNotExisting")
        #expect(processor.calls == 1 && loaded.images != nil)
    }

    @Test @MainActor func aCancelledViewKeepsWhatItShows() async throws {
        let loaded = try await preload()
        let rig = ImageViewLoadingRig(bench)
        let view = AnimatedImageView()
        queue.suspend()
        let load = rig.load(in: view, options)
        #expect(load.task != nil)
        view.kf.cancelDownloadTask()
        queue.resume()
        #expect(try await load.result().failure?.isTaskCancelled == true)
        #expect(view.image == nil && processor.calls == 1 && loaded.images != nil)
    }

    @Test("While a recreated image is in use, further requests get it immediately")
    func sharedWhileAlive() async throws {
        let loaded = try await preload()
        let first = try await start().outcomes.first().get()
        #expect(first.cacheType == .memory && first.image.kf.frameSource != nil)
        let (task, outcomes) = start()
        #expect(task == nil)
        let second = try #require(outcomes.values.first).get()
        #expect(second.image === first.image && second.cacheType == .memory)
        #expect(processor.calls == 2 && loaded.images != nil)
        // The recreated image is not stored in the cache.
        #expect(try await preloadedAgain() === loaded)
    }

    private func preloadedAgain() async throws -> Image {
        try await bench.retrieve(nil, options + [.preloadAllAnimationData]).get().image
    }

    @Test("Requests during a recreation wait for its result")
    func sharedInFlight() async throws {
        let started = Inbox<Void>()
        let latch = Latch()
        let isBlocking = Locked(false)
        let slow = CountingProcessor("slow") { image in
            if isBlocking.withLock({ $0 }) {
                started.put()
                _ = latch.wait()
            }
            return image
        }
        let loaded = try await bench.retrieve(
            nil, options + [.processor(slow), .preloadAllAnimationData, .waitForCache]
        ).get()
        isBlocking.withLock { $0 = true }
        let first = start(slow)
        try await started.first()
        let others = (0..<4).map { _ in start(slow) }
        // They have run on the queue and block no thread.
        #expect(await poll { others.allSatisfy { $0.outcomes.count == 0 } && slow.calls == 2 })
        latch.open()
        let image = try await first.outcomes.first().get().image
        for other in others { #expect(try await other.outcomes.first().get().image === image) }
        #expect(slow.calls == 2 && loaded.image.images != nil)
    }

    @Test("A recreated image is not retained")
    func notRetained() async throws {
        let loaded = try await preload()
        let first = try await recreated()
        #expect(await poll { first.image == nil })
        _ = try await recreated()
        #expect(processor.calls == 3 && loaded.images != nil)
    }

    private struct WeakImage: Sendable {
        weak var image: Image?
    }

    private func recreated() async throws -> WeakImage {
        // An inbox retains its values until its deadline.
        let images = Inbox<WeakImage>()
        bench.manager.retrieveImage(with: .network(bench.url), options: options) {
            images.put(WeakImage(image: try? $0.get().image))
        }
        return try await images.first()
    }

    @Test("Another image in memory is recreated separately")
    func replaced() async throws {
        let loaded = try await preload()
        let first = try await start().outcomes.first().get()
        bench.cache.clearMemoryCache()
        let other = try await bench.retrieve(nil, options + [.preloadAllAnimationData]).get()
        #expect(other.image !== loaded)
        let second = try await start().outcomes.first().get()
        #expect(second.image !== first.image && second.image.kf.frameSource != nil)
    }

    @Test("Entries of released images do not accumulate")
    func releasedEntries() throws {
        let images = RecreatedImages()
        var held: [Image] = []
        for number in 0..<500 {
            let original = try Image.blank()
            let key = RecreatedImages.Key("\(number)", original, ImageCreatingOptions())
            let made = try Image.blank()
            images.add(made, key, of: original)
            #expect(images.image(key, of: original) === made)
            if number < 10 { held += [original, made] }
        }
        #expect(images.count <= 32)
        withExtendedLifetime(held) {}
    }

    @Test("Views share an animation's frames even after a plain view has loaded it")
    @MainActor func viewsShare() async throws {
        let rig = ImageViewLoadingRig(bench)
        let plain = ImageView()
        _ = try await rig.load(in: plain).result().get()
        #expect(plain.image?.images != nil)
        let views = (0..<20).map { _ in AnimatedImageView() }
        let loads = views.map { rig.load(in: $0) }
        for load in loads { _ = try await load.outcomes.first().get() }
        let sources = views.compactMap { $0.image?.kf.frameSource as? ComposedFrameSource<GIFCompositor> }
        #expect(sources.count == 20 && Set(sources.map(ObjectIdentifier.init)).count == 1)
    }
}
