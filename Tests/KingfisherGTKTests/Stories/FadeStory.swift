import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// User story 2: an image fades in when it had to be fetched, and otherwise only when that is asked for.
    @Suite(.serialized) @MainActor struct FadeStory {
        private let stage: StoryStage

        init() throws { stage = try StoryStage() }

        /// Empties the view and sets the image.
        private func set(_ options: KingfisherOptionsInfo) -> StoryAnswer {
            let answer = StoryAnswer()
            stage.view.image = nil
            stage.view.kf.setImage(
                with: stage.url("coffee.jpg"), options: options + stage.options
            ) { answer.take($0) }
            return answer
        }

        /// Watches the image fade in over the ground, and hands out what it looks like in the end.
        private func watchFade(_ answer: StoryAnswer, from ground: Screenshot) async throws -> Screenshot {
            try #require(await GTK.wait { stage.view.runningTransition != nil })
            var shots = [try await stage.image()]
            for _ in 1...4 {
                #expect(answer.results.isEmpty)
                stage.clock.advance(by: 0.25)
                shots.append(try await stage.image())
            }
            #expect(shots[0] == ground && shots[1].isOnTheWay(0.25, from: ground, to: shots[4]))
            #expect(shots[2].isOnTheWay(0.5, from: ground, to: shots[4]))
            #expect(shots[3].isOnTheWay(0.75, from: ground, to: shots[4]))
            return shots[4]
        }

        @Test func fadesFromTheNetworkOnly() async throws {
            let options: KingfisherOptionsInfo = [.transition(.fade(1))]
            try await stage.open()
            let ground = try await stage.image()
            let fetched = set(options + [.waitForCache])
            let full = try await watchFade(fetched, from: ground)
            #expect(try await fetched.result().cacheType == .none)

            // The clock stands still: a fade would show the ground.
            let remembered = set(options)
            #expect(stage.view.image != nil && stage.view.runningTransition == nil)
            #expect(try await remembered.result().cacheType == .memory)
            #expect(try await stage.image() == full)

            stage.cache.clearMemoryCache()
            #expect(try await set(options).result().cacheType == .disk)
            // It was encoded anew for the disk, as a JPEG.
            let read = try await stage.image()
            #expect(read.isOnTheWay(1, from: ground, to: full, tolerance: 8))
        }

        @Test func fadesAlwaysWhenForced() async throws {
            let options: KingfisherOptionsInfo = [.transition(.fade(1)), .forceTransition]
            try await stage.open()
            let ground = try await stage.image()
            for origin in [CacheType.none, .memory, .disk] {
                if origin == .disk { stage.cache.clearMemoryCache() }
                let answer = set(options + [.waitForCache])
                _ = try await watchFade(answer, from: ground)
                #expect(try await answer.result().cacheType == origin)
            }
        }
    }
}
