import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// The transitions of loaded images, for each kind.
@Suite @MainActor struct ImageViewLoadingTransitionKindTests {
    let rig: ImageViewLoadingRig
    let renderer = RecordingRenderer()
    var view: ImageView { rig.view }

    /// Each kind takes two seconds.
    nonisolated static let kinds: [ImageTransition] = [
        .fade(2), .flipFromLeft(2), .flipFromRight(2), .flipFromTop(2), .flipFromBottom(2),
        .custom(duration: 2, options: .transitionFlipFromTop, animations: nil, completion: nil),
    ]

    init() throws {
        rig = try ImageViewLoadingRig()
        view.renderer = renderer
    }

    private func finish() {
        renderer.advance(view, by: 2)
    }

    @Test("From the network each kind runs, and the completion waits for its end", arguments: kinds)
    func network(_ kind: ImageTransition) async throws {
        let load = rig.load([.transition(kind)])
        _ = try await renderer.animations.first()
        #expect(view.runningTransition != nil && view.image != nil && load.outcomes.count == 0)
        finish()
        #expect(try await load.result().get().cacheType == .none)
        #expect(renderer.animations.count == 1)
    }

    @Test(
        "From memory and disk no transition runs unless forced", arguments: kinds,
        [(CacheType.memory, false), (.disk, false), (.memory, true), (.disk, true)])
    func cached(_ kind: ImageTransition, _ place: (type: CacheType, isForced: Bool)) async throws {
        _ = try await rig.bench.retrieve(nil, [.waitForCache]).get()
        if place.type == .disk { rig.bench.cache.clearMemoryCache() }
        let load = rig.load([.transition(kind)] + (place.isForced ? [.forceTransition] : []))
        if place.isForced {
            _ = try await renderer.animations.first()
            #expect(load.outcomes.count == 0 && view.runningTransition?.image === view.image)
            finish()
        }
        #expect(try await load.result().get().cacheType == place.type)
        #expect(renderer.animations.count == (place.isForced ? 1 : 0) && view.image != nil)
    }

    @Test("A refresh runs the transition again")
    func refresh() async throws {
        _ = try await rig.load().result().get()
        let load = rig.load([.transition(.flipFromLeft(2)), .forceRefresh])
        _ = try await renderer.animations.first()
        finish()
        #expect(try await load.result().get().cacheType == .none)
    }

    // MARK: Custom

    /// Records the calls of a custom transition's closures.
    @MainActor private final class Log {
        var events: [String] = []
    }

    private func custom(_ log: Log, duration: TimeInterval = 2) -> ImageTransition {
        .custom(
            duration: duration, options: .curveLinear,
            animations: { view, image in
                let isSet = view.image === image && view.kf.placeholder == nil
                log.events.append(isSet ? "animations" : "animations before the image")
                view.alpha = 0.5
            },
            completion: { log.events.append("completion \($0)") })
    }

    @Test("A custom transition runs its animations after the image is set, then its completion, each once")
    func closures() async throws {
        let log = Log()
        let load = rig.load(placeholder: try Image.blank(), [.transition(custom(log))])
        _ = try await renderer.animations.first()
        #expect(log.events == ["animations"])
        renderer.advance(view, by: 1)
        #expect(view.presentation.alpha == 0.75 && log.events.count == 1)
        renderer.advance(view, by: 1)
        #expect(log.events == ["animations", "completion true"])
        #expect(load.outcomes.count == 1)
        _ = try await load.result().get()
        #expect(log.events.count == 2 && view.presentation.alpha == 0.5)
    }

    @Test("An interrupted custom transition completes with false, and the load succeeds")
    func cut() async throws {
        let log = Log()
        let load = rig.load([.transition(custom(log))])
        _ = try await renderer.animations.first()
        renderer.display.isVisible = false
        view.displayDidChange()
        // No handler runs while a toolkit takes the view off the screen.
        #expect(log.events == ["animations"])
        await passMainQueue()
        #expect(log.events == ["animations", "completion false"])
        _ = try await load.result().get()
        #expect(log.events.count == 2)
    }

    @Test(
        "Without animation a custom transition makes its changes and completes synchronously",
        arguments: [0, 2.0])
    func unseen(_ duration: TimeInterval) async throws {
        let log = Log()
        renderer.canAnimate = duration == 0
        _ = try await rig.load([.transition(custom(log, duration: duration))]).result().get()
        #expect(log.events == ["animations", "completion true"] && view.presentation.alpha == 0.5)
    }

    @Test("A cached image runs no closure of a custom transition")
    func cachedCustom() async throws {
        _ = try await rig.load().result().get()
        let log = Log()
        #expect(try await rig.load([.transition(custom(log))]).result().get().cacheType == .memory)
        #expect(log.events.isEmpty && view.alpha == 1)
    }

    @Test("A view reused during a transition completes both loads once")
    func reused() async throws {
        let log = Log()
        let first = rig.load([.transition(custom(log))])
        _ = try await renderer.animations.first()
        let second = rig.load(Bench.freshURL(), [.transition(custom(log)), .keepCurrentImageWhileLoading])
        #expect(log.events == ["animations"])
        _ = try await renderer.animations.first(2)
        // The first transition completes when the second is running.
        #expect(log.events == ["animations", "animations", "completion false"])
        _ = try await first.result().get()
        finish()
        #expect(log.events.last == "completion true" && log.events.count == 4)
        _ = try await second.result().get()
    }
}
