import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// User story 6: the same options, one after another.
    @Suite(.serialized) @MainActor struct BuilderStory {
        private let stage: StoryStage

        init() throws { stage = try StoryStage() }

        @Test func builtStepByStep() async throws {
            try await stage.open()
            let badge = try #require(Image(contentsOfFile: Fixtures.url(named: "Photos/badge.png").path))
            var shown: [RetrieveImageResult] = []
            var errors: [KingfisherError] = []
            KF.url(stage.slowURL("chelsea-eyes.jpg"))
                .placeholder(badge)
                .setProcessor(RoundCornerImageProcessor(cornerRadius: 20))
                .fade(duration: 0.25)
                .targetCache(stage.cache)
                .downloader(stage.downloader)
                .onSuccess { shown.append($0) }
                .onFailure { errors.append($0) }
                .set(to: stage.view)
            #expect(stage.view.image === badge)
            let waiting = try await stage.image()

            stage.letSlowImagesCome()
            try #require(await GTK.wait { stage.view.runningTransition != nil })
            stage.clock.advance(by: 0.125)
            let half = try await stage.image()
            #expect(shown.isEmpty)
            stage.clock.advance(by: 0.125)
            #expect(await GTK.wait { shown.count == 1 })
            let full = try await stage.image()
            #expect(half.isOnTheWay(0.5, from: waiting, to: full))
            // The corner of the view was the placeholder's, and is now the ground's.
            #expect(full[20, 20] == StoryStage.ground && full[27, 27] != StoryStage.ground)
            #expect(stage.view.image === shown.first?.image && errors.isEmpty)
        }

        @Test func builtForAnImageThatIsMissing() async throws {
            try await stage.open()
            let label = Label("No image")
            var shown = 0
            var errors: [KingfisherError] = []
            KF.url(stage.url("missing.jpg"))
                .placeholder(label)
                .setProcessor(RoundCornerImageProcessor(cornerRadius: 20))
                .fade(duration: 0.25)
                .targetCache(stage.cache)
                .downloader(stage.downloader)
                .onSuccess { _ in shown += 1 }
                .onFailure { errors.append($0) }
                .set(to: stage.view)
            #expect(await GTK.wait { errors.count == 1 })
            #expect(errors.first?.isInvalidResponseStatusCode(404) == true && shown == 0)
            #expect(label.superview === stage.view && stage.view.image == nil)
            #expect(try await stage.image().box { $0 != StoryStage.ground } != nil)
        }
    }
}
