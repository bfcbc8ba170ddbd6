import Foundation
import Kingfisher
import KingfisherGTK
import Testing

extension GTKTests {
    /// User story 1: rounded corners show the background, also after the image was read from disk.
    @Suite(.serialized) @MainActor struct RoundCornersStory {
        private let rig: StoryRig
        private let corners = [(20, 20), (259, 20), (20, 159), (259, 159)]

        init() throws { rig = try StoryRig() }

        /// Loads the image twice, with the memory cache cleared in between.
        private func setTwice(_ options: KingfisherOptionsInfo) async throws -> [Screenshot] {
            try await rig.open()
            let url = rig.url("chelsea-eyes.jpg")

            let first = StoryLoad()
            rig.view.kf.setImage(with: url, options: options + [.waitForCache]) { first.record($0) }
            #expect(try await first.result().cacheType == .none)
            let fetched = try await rig.image()

            rig.cache.clearMemoryCache()
            let second = StoryLoad()
            rig.view.kf.setImage(with: url, options: options) { second.record($0) }
            #expect(try await second.result().cacheType == .disk)
            #expect(rig.requestCount == 1)
            return [fetched, try await rig.image()]
        }

        @Test("As PNG the corners stay transparent, from the network and from disk")
        func png() async throws {
            let options: KingfisherOptionsInfo = [
                .processor(RoundCornerImageProcessor(cornerRadius: 20)),
                .cacheSerializer(FormatIndicatedCacheSerializer.png),
            ]
            for image in try await setTwice(options + rig.options) {
                #expect(corners.allSatisfy { image[$0, $1] == StoryRig.background })
                // On the diagonal the arc of radius 20 is between the fifth pixel and the eighth.
                #expect(image[24, 24] == StoryRig.background && image[27, 27] != StoryRig.background)
                #expect(image.box { $0 != StoryRig.background } == StoryRig.frame)
            }
        }

        @Test("With the default serializer the corners of a JPEG are white when read from disk")
        func jpeg() async throws {
            let options: KingfisherOptionsInfo = [
                .processor(RoundCornerImageProcessor(cornerRadius: 20))
            ]
            let images = try await setTwice(options + rig.options)
            #expect(corners.allSatisfy { images[0][$0, $1] == StoryRig.background })
            // JPEG is lossy: white may differ by a few levels.
            #expect(corners.allSatisfy { images[1].color($0, $1).allSatisfy { $0 >= 250 } })
            #expect(images[1].color(140, 90).contains { $0 < 200 })
        }
    }
}
