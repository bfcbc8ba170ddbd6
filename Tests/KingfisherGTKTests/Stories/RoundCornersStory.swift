import Foundation
import Kingfisher
import KingfisherGTK
import Testing

extension GTKTests {
    /// User story 1: corners that were cut show what is behind the view, also once the image was on disk.
    @Suite(.serialized) @MainActor struct RoundCornersStory {
        private let stage: StoryStage
        private let corners = [(20, 20), (259, 20), (20, 159), (259, 159)]

        init() throws { stage = try StoryStage() }

        /// Sets the image, lets memory forget it, and sets it again.
        private func setTwice(_ options: KingfisherOptionsInfo) async throws -> [Screenshot] {
            try await stage.open()
            let url = stage.url("chelsea-eyes.jpg")

            let first = StoryAnswer()
            stage.view.kf.setImage(with: url, options: options + [.waitForCache]) { first.take($0) }
            #expect(try await first.result().cacheType == .none)
            let fetched = try await stage.image()

            stage.cache.clearMemoryCache()
            let second = StoryAnswer()
            stage.view.kf.setImage(with: url, options: options) { second.take($0) }
            #expect(try await second.result().cacheType == .disk)
            #expect(stage.requestCount == 1)
            return [fetched, try await stage.image()]
        }

        @Test func roundCornersKeptAsPNG() async throws {
            let options: KingfisherOptionsInfo = [
                .processor(RoundCornerImageProcessor(cornerRadius: 20)),
                .cacheSerializer(FormatIndicatedCacheSerializer.png),
            ]
            for image in try await setTwice(options + stage.options) {
                #expect(corners.allSatisfy { image[$0, $1] == StoryStage.ground })
                // On the diagonal the arc of radius 20 lies between the fifth pixel and the eighth.
                #expect(image[24, 24] == StoryStage.ground && image[27, 27] != StoryStage.ground)
                #expect(image.box { $0 != StoryStage.ground } == StoryStage.frame)
            }
        }

        @Test func roundCornersOfAJPEGAreFilledOnDisk() async throws {
            let options: KingfisherOptionsInfo = [
                .processor(RoundCornerImageProcessor(cornerRadius: 20))
            ]
            let images = try await setTwice(options + stage.options)
            #expect(corners.allSatisfy { images[0][$0, $1] == StoryStage.ground })
            // What a JPEG says of white may be a few steps off.
            #expect(corners.allSatisfy { images[1].color($0, $1).allSatisfy { $0 >= 250 } })
            #expect(images[1].color(140, 90).contains { $0 < 200 })
        }
    }
}
