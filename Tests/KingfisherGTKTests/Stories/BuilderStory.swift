import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// User story 6: the builder `KF` takes the same options.
    @Suite(.serialized) @MainActor struct BuilderStory {
        private let rig: StoryRig

        init() throws { rig = try StoryRig() }

        private func builder(_ url: URL) -> KF.Builder {
            KF.url(url)
                .setProcessor(RoundCornerImageProcessor(cornerRadius: 20))
                .fade(duration: 0.25)
                .targetCache(rig.cache)
                .downloader(rig.downloader)
        }

        @Test("A builder loads with placeholder, processor and fade")
        func builder() async throws {
            try await rig.open()
            let badge = try #require(Image(contentsOfFile: Fixtures.url(named: "Photos/badge.png").path))
            var shown: [RetrieveImageResult] = []
            var errors: [KingfisherError] = []
            builder(rig.slowURL("chelsea-eyes.jpg"))
                .placeholder(badge)
                .onSuccess { shown.append($0) }
                .onFailure { errors.append($0) }
                .set(to: rig.view)
            #expect(rig.view.image === badge)
            let waiting = try await rig.image()

            rig.releaseSlowImages()
            try #require(await GTK.wait { rig.view.runningTransition != nil })
            rig.clock.advance(by: 0.125)
            let half = try await rig.image()
            #expect(shown.isEmpty)
            rig.clock.advance(by: 0.125)
            #expect(await GTK.wait { shown.count == 1 })
            let full = try await rig.image()
            #expect(half.isBlend(0.5, from: waiting, to: full))
            // The rounded corner shows the background where the placeholder was.
            #expect(full[20, 20] == StoryRig.background && full[27, 27] != StoryRig.background)
            #expect(rig.view.image === shown.first?.image && errors.isEmpty)
        }

        @Test("A missing image calls onFailure and leaves the placeholder")
        func missingImage() async throws {
            try await rig.open()
            let label = Label("No image")
            var shown = 0
            var errors: [KingfisherError] = []
            builder(rig.url("missing.jpg"))
                .placeholder(label)
                .onSuccess { _ in shown += 1 }
                .onFailure { errors.append($0) }
                .set(to: rig.view)
            #expect(await GTK.wait { errors.count == 1 })
            #expect(errors.first?.isInvalidResponseStatusCode(404) == true && shown == 0)
            #expect(label.superview === rig.view && rig.view.image == nil)
            #expect(try await rig.image().box { $0 != StoryRig.background } != nil)
        }
    }
}
