#if canImport(KingfisherWebP)
    import CGtk
    import Foundation
    import Kingfisher
    import KingfisherGTK
    import KingfisherTestSupport
    import KingfisherWebP
    import Testing

    extension GTKTests {
        /// The published walkthrough of the classic extension: two options bring WebP to the screen, from the server and
        /// from disk, and nothing is registered.
        @Suite(.serialized) @MainActor struct WebPStory {
            private let options: KingfisherOptionsInfo = [
                .processor(WebPProcessor.default), .cacheSerializer(WebPCacheSerializer.default),
            ]

            /// Whether the view shows `pixels` stretched over it, give or take what stretching does.
            private func shows(_ pixels: PixelBuffer, _ picture: Screenshot) -> Bool {
                Screenshot.storyPoints.allSatisfy { x, y in
                    let frame = StoryStage.frame
                    let place = (
                        x: (Double(x) - frame.minX) / frame.width * Double(pixels.width),
                        y: (Double(y) - frame.minY) / frame.height * Double(pixels.height)
                    )
                    let color = pixels.samples(x: Int(place.x), y: Int(place.y)) ?? []
                    return zip(picture.color(x, y), color).allSatisfy { abs($0 - $1) <= 40 }
                }
            }

            @Test func webPFromTheServerAndFromDisk() async throws {
                let file = try Fixtures.data(named: "WebP/photo-q95.webp")
                let stage = try StoryStage(serving: ["photo.webp": file])
                try await stage.open()
                let fetched = StoryAnswer()
                stage.view.kf.setImage(
                    with: stage.url("photo.webp"), options: options + [.waitForCache] + stage.options
                ) { fetched.take($0) }
                let first = try await fetched.result()
                #expect(first.cacheType == .none && first.data() == file)
                let pixels = try #require(first.image.pixels)
                let picture = try await stage.picture()
                #expect(shows(pixels, picture))
                #expect(picture.box { $0 != StoryStage.ground } == StoryStage.frame)
                #expect(stage.filesOnDisk == [file])

                stage.cache.clearMemoryCache()
                stage.view.image = nil
                #expect(try await stage.picture().box { $0 != StoryStage.ground } == nil)
                let read = StoryAnswer()
                stage.view.kf.setImage(with: stage.url("photo.webp"), options: options + stage.options) {
                    read.take($0)
                }
                let second = try await read.result()
                #expect(second.cacheType == .disk && second.data() == file)
                #expect(try await stage.picture() == picture)
                #expect(stage.requestCount == 1)
            }

            @Test func animatedWebPPlays() async throws {
                let file = try Fixtures.data(named: "WebP/anim-img2webp-lossless.webp")
                let stage = try StoryStage(AnimatedImageView(), serving: ["pan.webp": file])
                try await stage.open()
                let answer = StoryAnswer()
                stage.view.kf.setImage(
                    with: stage.url("pan.webp"), options: options + [.waitForCache] + stage.options
                ) { answer.take($0) }
                let source = try #require(try await answer.result().image.kf.frameSource)
                #expect(stage.filesOnDisk == [file])
                let view = try #require(stage.view as? AnimatedImageView)
                for index in 0..<source.frameCount {
                    let frame = try #require(source.frame(at: index))
                    #expect(
                        await GTK.wait { view.animator?.currentFrameIndex == index }, "frame \(index) is due")
                    let picture = try await stage.picture()
                    #expect(shows(frame, picture), "frame \(index)")
                    stage.clock.advance(by: source.duration(at: index))
                }
                #expect(await GTK.wait { view.animator?.currentFrameIndex == 0 })
            }
        }
    }
#endif
