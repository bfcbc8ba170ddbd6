import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// User story 2: an image fades in after a download, and otherwise only on request.
@Suite @MainActor struct FadeStory {
    let rig: ImageViewLoadingRig
    let renderer = RecordingRenderer()
    private let fade: KingfisherOptionsInfo = [.transition(.fade(1))]
    private var view: ImageView { rig.view }

    init() throws {
        rig = try ImageViewLoadingRig()
        view.renderer = renderer
    }

    /// Checks the fade number `number` of the view from start to end.
    private func watchFade(_ number: Int, of load: ImageViewLoadingRig.Load) async throws -> CacheType {
        _ = try await renderer.animations.first(number)
        #expect(renderer.animations.count == number)
        #expect(view.runningTransition?.effect == .crossDissolve && view.image != nil)
        for quarter in 1...4 {
            #expect(load.outcomes.count == 0)
            renderer.manualClock.advance(by: 0.25)
            #expect(view.transitionProgress == Double(quarter) / 4)
            view.advance()
        }
        #expect(view.runningTransition == nil)
        return try await load.result().get().cacheType
    }

    @Test("An image fades in from the network, but not from memory and disk")
    func onlyFromTheNetwork() async throws {
        #expect(try await watchFade(1, of: rig.load(fade + [.waitForCache])) == .none)
        #expect(try await rig.load(fade).result().get().cacheType == .memory)
        rig.bench.cache.clearMemoryCache()
        #expect(try await rig.load(fade).result().get().cacheType == .disk)
        #expect(renderer.animations.count == 1 && view.image?.size == TestImages.pngSize)
    }

    @Test("With forceTransition an image fades in from memory and disk, too")
    func forced() async throws {
        let forced = fade + [.forceTransition]
        #expect(try await watchFade(1, of: rig.load(forced + [.waitForCache])) == .none)
        #expect(try await watchFade(2, of: rig.load(forced)) == .memory)
        rig.bench.cache.clearMemoryCache()
        #expect(try await watchFade(3, of: rig.load(forced)) == .disk)
    }
}
