import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestTraits

/// Who hears of a builder's load, and who is kept alive by it.
@Suite @MainActor struct BuilderHandlerTests {
    let bench: Bench
    let view = ImageView()

    init() throws { bench = try Bench() }

    private var builder: KF.Builder {
        KF.url(bench.url).targetCache(bench.cache).downloader(bench.downloader)
    }

    /// Somebody who hears of a load, and says when nobody holds him any more.
    private final class Target: Sendable {
        let heard = Inbox<String>()
        private let gone: Inbox<Void>?

        init(gone: Inbox<Void>? = nil) { self.gone = gone }

        deinit { gone?.put() }
    }

    @Test("Modifiers change the builder itself, in a chain or one by one", .behaviours("V-17"))
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

    @Test("The placeholder set last is shown; nil takes it back")
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

    @Test("Delegates hear of the load and do not hold their targets")
    func weakTargets() async throws {
        let builder = builder
        let kept = Target()
        weak var gone: Target?
        do {
            let target = Target()
            gone = target
            builder.onSuccessDelegate.delegate(on: target) { target, _ in target.heard.put("gone") }
        }
        #expect(gone == nil && builder.onSuccessDelegate.isSet)
        builder.onProgressDelegate.delegate(on: kept) { target, _ in target.heard.put("progress") }
        builder.onFailureDelegate.delegate(on: kept) { target, _ in target.heard.put("failure") }
        builder.set(to: view)
        #expect(await poll { view.image != nil })
        builder.onSuccessDelegate.delegate(on: kept) { target, _ in target.heard.put("success") }
        builder.set(to: view)
        #expect(kept.heard.values.last == "success" && kept.heard.values.first == "progress")
        #expect(!kept.heard.values.contains("failure"))
    }

    @Test("A load keeps its handlers although nobody keeps the builder, and lets them go at its end")
    func lifetime() async throws {
        let (loaded, gone) = (Inbox<Void>(), Inbox<Void>())
        weak var builder: KF.Builder?
        bench.stub.hold()
        do {
            let (own, target) = (self.builder, Target(gone: gone))
            builder = own
            own.onSuccess { _ in
                withExtendedLifetime(target) {}
                loaded.put()
            }.set(to: view)
        }
        #expect(builder != nil && gone.count == 0)
        bench.stub.release()
        _ = try await (loaded.first(1), gone.first(1))
        #expect(builder == nil)
    }

    @Test("A builder that is never set goes, with everything its handlers hold")
    func neverSet() {
        let gone = Inbox<Void>()
        weak var builder: KF.Builder?
        do {
            let (own, target) = (self.builder, Target(gone: gone))
            builder = own
            _ = own.onSuccess { _ in withExtendedLifetime(target) {} }
                .onProgress { _, _ in withExtendedLifetime(target) {} }
        }
        #expect(builder == nil && gone.count == 1)
    }

    @Test("The later handler takes the place of the earlier, nil of any")
    func replaced() async throws {
        let heard = Inbox<String>()
        _ = try await bench.retrieve().get()
        let builder = builder.onSuccess { _ in heard.put("first") }.onSuccess { _ in heard.put("second") }
        builder.set(to: view)
        #expect(heard.values == ["second"])
        builder.onSuccess(nil).onFailure { _ in heard.put("failed") }.onFailure(nil).set(to: view)
        #expect(heard.values == ["second"])
        #expect(!builder.onSuccessDelegate.isSet && !builder.onFailureDelegate.isSet)
        #expect(!builder.onProgress { _, _ in }.onProgress(nil).onProgressDelegate.isSet)
    }

    @Test("A handler called from elsewhere still runs on the main actor")
    func calledFromElsewhere() async throws {
        let heard = Inbox<Bool>()
        let builder = builder.onFailure { _ in heard.put(MainQueue.isCurrent) }
        await Task.detached {
            _ = builder.onFailureDelegate(.imageSettingError(reason: .emptySource))
        }.value
        #expect(try await heard.first())
    }

    @Test("A builder may be made and changed off the main actor")
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
