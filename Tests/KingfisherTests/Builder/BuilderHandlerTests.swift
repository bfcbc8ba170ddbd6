import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

/// The callbacks of a builder's load, and the lifetimes of what they capture.
@Suite @MainActor struct BuilderHandlerTests {
    let bench: Bench
    let view = ImageView()

    init() throws { bench = try Bench() }

    private var builder: KF.Builder {
        KF.url(bench.url).targetCache(bench.cache).downloader(bench.downloader)
    }

    /// Receives callbacks and reports its deallocation.
    private final class Target: Sendable {
        let calls = Inbox<String>()
        private let released: Inbox<Void>?

        init(released: Inbox<Void>? = nil) { self.released = released }

        deinit { released?.put() }
    }

    @Test("Modifiers change the builder itself, both chained and one by one", .behaviours("V-17"))
    func inPlace() throws {
        let builder = KF.url(bench.url)
        let chained = builder.scaleFactor(2).blur(radius: 3).fade(duration: 1).placeholder(try .blank())
            .placeholder(RecordingPlaceholder()).onSuccess { _ in }.onFailure { _ in }.onProgress { _, _ in }
        #expect(chained === builder)
        _ = builder.forceRefresh()
        #expect(builder.options.scaleFactor == 2 && builder.options.forceRefresh)
        builder.options.scaleFactor = 3
        #expect(chained.options.scaleFactor == 3)
    }

    @Test("The last placeholder is shown; nil removes it")
    func placeholders() throws {
        let (own, image) = (RecordingPlaceholder(), try Image.blank())
        let builder = KF.source(nil).placeholder(own)
        builder.set(to: view)
        #expect(own.isShown)
        builder.placeholder(image).set(to: view)
        #expect(!own.isShown && view.image === image)
        builder.placeholder(nil).set(to: view)
        #expect(view.image == nil && view.kf.placeholder == nil)
    }

    @Test("Delegates receive the load's callbacks and do not retain their targets")
    func weakTargets() async throws {
        let builder = builder
        let retained = Target()
        weak var released: Target?
        do {
            let target = Target()
            released = target
            builder.onSuccessDelegate.delegate(on: target) { target, _ in target.calls.put("released") }
        }
        #expect(released == nil && builder.onSuccessDelegate.isSet)
        builder.onProgressDelegate.delegate(on: retained) { target, _ in target.calls.put("progress") }
        builder.onFailureDelegate.delegate(on: retained) { target, _ in target.calls.put("failure") }
        builder.set(to: view)
        #expect(await poll { view.image != nil })
        builder.onSuccessDelegate.delegate(on: retained) { target, _ in target.calls.put("success") }
        builder.set(to: view)
        #expect(retained.calls.values.last == "success" && retained.calls.values.first == "progress")
        #expect(!retained.calls.values.contains("failure"))
    }

    @Test("A load retains its handlers without the builder and releases them when it ends")
    func lifetime() async throws {
        let (loaded, released) = (Inbox<Void>(), Inbox<Void>())
        weak var builder: KF.Builder?
        bench.stub.hold()
        do {
            let (own, target) = (self.builder, Target(released: released))
            builder = own
            own.onSuccess { _ in
                withExtendedLifetime(target) {}
                loaded.put()
            }.set(to: view)
        }
        #expect(builder != nil && released.count == 0)
        bench.stub.release()
        _ = try await (loaded.first(1), released.first(1))
        #expect(builder == nil)
    }

    @Test("A builder that is never set is released with everything its handlers capture")
    func neverSet() {
        let released = Inbox<Void>()
        weak var builder: KF.Builder?
        do {
            let (own, target) = (self.builder, Target(released: released))
            builder = own
            _ = own.onSuccess { _ in withExtendedLifetime(target) {} }
                .onProgress { _, _ in withExtendedLifetime(target) {} }
        }
        #expect(builder == nil && released.count == 1)
    }

    @Test("A later handler replaces the earlier one; nil removes it")
    func replaced() async throws {
        let calls = Inbox<String>()
        _ = try await bench.retrieve().get()
        let builder = builder.onSuccess { _ in calls.put("first") }.onSuccess { _ in calls.put("second") }
        builder.set(to: view)
        #expect(calls.values == ["second"])
        builder.onSuccess(nil).onFailure { _ in calls.put("failed") }.onFailure(nil).set(to: view)
        #expect(calls.values == ["second"])
        #expect(!builder.onSuccessDelegate.isSet && !builder.onFailureDelegate.isSet)
        #expect(!builder.onProgress { _, _ in }.onProgress(nil).onProgressDelegate.isSet)
    }

    @Test("A handler called on another thread still runs on the main actor")
    func calledFromElsewhere() async throws {
        let calls = Inbox<Bool>()
        let builder = builder.onFailure { _ in calls.put(MainQueue.isCurrent) }
        await Task.detached {
            _ = builder.onFailureDelegate(.imageSettingError(reason: .emptySource))
        }.value
        #expect(try await calls.first())
    }

    @Test("A builder can be created and changed off the main actor")
    func background() async throws {
        let (url, image) = (bench.url, try Image.blank())
        let loaded = Inbox<Image>()
        let builder = await Task.detached {
            KF.url(url).placeholder(image).blur(radius: 3).onSuccess { loaded.put($0.image) }
        }.value
        bench.stub.hold()
        builder.targetCache(bench.cache).downloader(bench.downloader).set(to: view)
        #expect(view.image === image)
        bench.stub.release()
        #expect(try await loaded.first() === view.image)
    }
}
