import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// User story 2: an image fades in after a download, and otherwise only on request.
    @Suite(.serialized) @MainActor struct FadeStory {
        private let rig: StoryRig

        init() throws { rig = try StoryRig() }

        private func set(_ options: KingfisherOptionsInfo) -> StoryLoad {
            let load = StoryLoad()
            rig.view.image = nil
            rig.view.kf.setImage(
                with: rig.url("coffee.jpg"), options: options + rig.options
            ) { load.record($0) }
            return load
        }

        /// Checks the fade over the background and returns its last image.
        private func watchFade(_ load: StoryLoad, from background: Screenshot) async throws -> Screenshot {
            try #require(await GTK.wait { rig.view.runningTransition != nil })
            var shots = [try await rig.image()]
            for _ in 1...4 {
                #expect(load.results.isEmpty)
                rig.clock.advance(by: 0.25)
                shots.append(try await rig.image())
            }
            #expect(shots[0] == background && shots[1].isBlend(0.25, from: background, to: shots[4]))
            #expect(shots[2].isBlend(0.5, from: background, to: shots[4]))
            #expect(shots[3].isBlend(0.75, from: background, to: shots[4]))
            return shots[4]
        }

        @Test("An image fades in from the network, but not from memory and disk")
        func onlyFromTheNetwork() async throws {
            let options: KingfisherOptionsInfo = [.transition(.fade(1))]
            try await rig.open()
            let background = try await rig.image()
            let fetched = set(options + [.waitForCache])
            let full = try await watchFade(fetched, from: background)
            #expect(try await fetched.result().cacheType == .none)

            // The clock does not advance, so a fade would show the background.
            let inMemory = set(options)
            #expect(rig.view.image != nil && rig.view.runningTransition == nil)
            #expect(try await inMemory.result().cacheType == .memory)
            #expect(try await rig.image() == full)

            rig.cache.clearMemoryCache()
            #expect(try await set(options).result().cacheType == .disk)
            // The image on disk was encoded again as JPEG, which is lossy.
            let read = try await rig.image()
            #expect(read.isBlend(1, from: background, to: full, tolerance: 8))
        }

        @Test("With forceTransition an image fades in from memory and disk, too")
        func forced() async throws {
            let options: KingfisherOptionsInfo = [.transition(.fade(1)), .forceTransition]
            try await rig.open()
            let background = try await rig.image()
            for origin in [CacheType.none, .memory, .disk] {
                if origin == .disk { rig.cache.clearMemoryCache() }
                let load = set(options + [.waitForCache])
                _ = try await watchFade(load, from: background)
                #expect(try await load.result().cacheType == origin)
            }
        }
    }
}
