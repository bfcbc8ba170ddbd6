import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite @MainActor struct ImageViewLoadingTests {
    let rig: ImageViewLoadingRig
    var view: ImageView { rig.view }

    init() throws { rig = try ImageViewLoadingRig() }

    @Test(
        "Without a source the placeholder is shown and the load completes synchronously without progress",
        .behaviours("V-1"))
    func emptySource() async throws {
        view.image = try .blank()
        let placeholder = try Image.blank()
        let progress = Inbox<Void>()
        let load = rig.load(nil as Source?, placeholder: placeholder, progress: { _, _ in progress.put() })
        #expect(load.outcomes.values.map(reason) == ["emptySource"])
        #expect(view.image === placeholder && view.kf.placeholder as? Image === placeholder)
        #expect(load.task == nil && view.kf.taskIdentifier == nil)
        _ = try await load.result()
        #expect(progress.count == 0)
    }

    @Test("Without a source and a placeholder the view becomes empty", .behaviours("V-1"))
    func emptySourceWithoutPlaceholder() async throws {
        view.image = try .blank()
        _ = rig.load(nil as Source?)
        #expect(view.image == nil && view.kf.placeholder == nil)
    }

    @Test(
        "The placeholder, or nothing, replaces the image synchronously", .behaviours("V-2"),
        arguments: [false, true])
    func synchronousPlaceholder(hasPlaceholder: Bool) async throws {
        view.image = try .blank()
        let placeholder = hasPlaceholder ? try Image.blank() : nil
        rig.bench.stub.hold()
        let load = rig.load(placeholder: placeholder)
        #expect(view.image === placeholder)
        #expect(load.outcomes.count == 0)
        rig.bench.stub.release()
        let image = try await load.result().get().image
        #expect(view.image === image && view.kf.placeholder == nil)
        #expect(image.size == TestImages.pngSize)
    }

    @Test("An image in memory is shown synchronously")
    func memoryHit() async throws {
        let stored = try await rig.bench.retrieve().get().image
        let load = rig.load(placeholder: try Image.blank())
        #expect(load.outcomes.count == 1 && load.task == nil)
        #expect(view.image === stored && view.kf.taskIdentifier == nil && view.kf.placeholder == nil)
        #expect(try await load.result().get().cacheType == .memory)
    }

    @Test("Completion and progress run on the main queue for every callback queue", .behaviours("V-3"))
    func onMain() async throws {
        let (progress, done) = (Inbox<Bool>(), Inbox<Bool>())
        for url in [rig.bench.url, Bench.freshURL()] {
            view.kf.setImage(
                with: url, options: rig.options + [.callbackQueue(.dispatch(MarkedQueue().queue))],
                progressBlock: { _, _ in progress.put(MainQueue.isCurrent) },
                completionHandler: { _ in done.put(MainQueue.isCurrent) })
        }
        #expect(try await done.first(2) == [true, true])
        #expect(try await progress.first())
        #expect(!progress.values.contains(false))
    }

    @Test("A progress block may access the view and precedes the completion")
    func progressAccessesView() async throws {
        var (reports, completions): ([Int64], [Int]) = ([], [])
        let done = Inbox<Void>()
        view.kf.setImage(with: rig.bench.url, options: rig.options) { received, total in
            view.alpha = CGFloat(received) / CGFloat(total)
            reports.append(received)
        } completionHandler: { _ in
            completions.append(reports.count)
            done.put()
        }
        try await _ = done.first(1)
        let size = try TestImages.png.count
        #expect(view.alpha == 1 && reports.last == Int64(size) && completions == [reports.count])
    }

    @Test("The placeholder stays after a failure", .behaviours("V-6"))
    func failure() async throws {
        let rig = ImageViewLoadingRig(try Bench(serving: TestImages.garbage))
        let (image, placeholder) = (try Image.blank(), RecordingPlaceholder())
        #expect(reason(try await rig.load(placeholder: image).result()) == "processingFailed")
        #expect(rig.view.image === image && rig.view.kf.placeholder as? Image === image)
        #expect(reason(try await rig.load(placeholder: placeholder).result()) == "processingFailed")
        #expect(placeholder.isShown && rig.view.image == nil)
        #expect(rig.view.kf.placeholder as? RecordingPlaceholder === placeholder)
        #expect(rig.view.kf.taskIdentifier == nil)
    }

    @Test(
        "A custom placeholder is shown while loading and removed on success",
        .behaviours("V-6"))
    func ownPlaceholder() async throws {
        let (first, second) = (RecordingPlaceholder(), RecordingPlaceholder())
        view.image = try .blank()
        rig.bench.stub.hold()
        let loads = [rig.load(placeholder: first), rig.load(Bench.freshURL(), placeholder: second)]
        #expect(!first.isShown && first.added == 1 && second.isShown)
        #expect(view.image == nil)
        rig.bench.stub.release()
        for load in loads { _ = try await load.result() }
        #expect((first.added, first.removed, second.added, second.removed) == (1, 1, 1, 1))
        #expect(view.image?.size == TestImages.pngSize && view.kf.placeholder == nil)
    }

    @Test(
        "The identifier exists while loading, increases with each load, and is nil at the end",
        .behaviours("V-17"))
    func identifier() async throws {
        #expect(view.kf.taskIdentifier == nil)
        rig.bench.stub.hold()
        let first = rig.load()
        let earlier = try #require(view.kf.taskIdentifier)
        let second = rig.load()
        #expect(try #require(view.kf.taskIdentifier) > earlier)
        rig.bench.stub.release()
        _ = try await (first.result(), second.result())
        #expect(view.kf.taskIdentifier == nil)
    }

    @Test("The load is over when the completion runs", .behaviours("V-17"))
    func clearedBeforeCompletion() async throws {
        let seen = Inbox<Source.Identifier.Value?>()
        view.kf.setImage(with: rig.bench.url, options: rig.options) { _ in seen.put(view.kf.taskIdentifier) }
        #expect(try await seen.first() == nil)
    }

    @Test("A completion may start the next load")
    func completionStartsAnother() async throws {
        let second = Bench.freshURL()
        let results = Inbox<ImageViewLoadingRig.Outcome>()
        view.kf.setImage(with: rig.bench.url, options: rig.options) { result in
            results.put(result)
            view.kf.setImage(with: second, options: rig.options) { results.put($0) }
        }
        let loaded = try await results.first(2).map { try $0.get() }
        #expect(loaded.map(\.source.url) == [rig.bench.url, second])
        #expect(view.image === loaded.last?.image)
    }

    /// Reports its deinitialisation; held by a progress block.
    private final class Owner: Sendable {
        private let released: Inbox<Void>

        init(released: Inbox<Void>) { self.released = released }

        deinit { released.put() }
    }

    @Test("The task of a finished load retains nothing of it", arguments: [CacheType.none, .disk])
    func releasedTask(type: CacheType) async throws {
        if type == .disk { try await rig.storeOnDisk(rig.bench.url) }
        let released = Inbox<Void>()
        let load: ImageViewLoadingRig.Load
        do {
            let owner = Owner(released: released)
            load = rig.load(progress: { _, _ in withExtendedLifetime(owner) {} })
        }
        #expect(try await load.result().get().cacheType == type)
        try await rig.bench.cache.settle()
        _ = try await released.first(1)
        #expect(load.task != nil)
    }
}
