#if WITH_WEBP
    import CGtk
    import Foundation
    import Kingfisher
    import KingfisherGTK
    import KingfisherTestSupport
    import KingfisherWebP
    import Testing

    extension GTKTests {
        /// The published walkthrough of the classic extension: two options bring WebP to the screen, from the
        /// server and from disk, and nothing is registered.
        @Suite(.serialized) @MainActor struct WebPStory {
            private let options: KingfisherOptionsInfo = [
                .processor(WebPProcessor.default), .cacheSerializer(WebPCacheSerializer.default),
            ]

            /// How far, a sample in the mean, what the view shows is from `pixels` stretched over it.
            private func distance(_ image: Screenshot, _ pixels: PixelBuffer) -> Double {
                let frame = StoryStage.frame
                var (sum, count) = (0, 0)
                for y in stride(from: frame.minY + 1, to: frame.maxY, by: 3) {
                    for x in stride(from: frame.minX + 1, to: frame.maxX, by: 3) {
                        let column = (x - frame.minX) / frame.width * Double(pixels.width)
                        let row = (y - frame.minY) / frame.height * Double(pixels.height)
                        let samples = pixels.samples(x: Int(column), y: Int(row)) ?? []
                        for (shown, expected) in zip(image.color(Int(x), Int(y)), samples) {
                            sum += abs(shown - expected)
                            count += 1
                        }
                    }
                }
                return count == 0 ? .infinity : Double(sum) / Double(count)
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
                let image = try await stage.image()
                #expect(distance(image, pixels) < 12)
                #expect(image.box { $0 != StoryStage.ground } == StoryStage.frame)
                #expect(stage.filesOnDisk == [file])

                stage.cache.clearMemoryCache()
                stage.view.image = nil
                #expect(try await stage.image().box { $0 != StoryStage.ground } == nil)
                let read = StoryAnswer()
                stage.view.kf.setImage(with: stage.url("photo.webp"), options: options + stage.options) {
                    read.take($0)
                }
                let second = try await read.result()
                #expect(second.cacheType == .disk && second.data() == file)
                #expect(try await stage.image() == image)
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
                let frames = (0..<source.frameCount).compactMap { source.frame(at: $0) }
                #expect(frames.count == 6)
                for index in frames.indices {
                    try #require(await GTK.wait { view.animator?.currentFrameIndex == index })
                    let image = try await stage.image()
                    let distances = frames.map { distance(image, $0) }
                    #expect(distances[index] < 12 && distances[index] == distances.min(), "frame \(index)")
                    stage.clock.advance(by: source.duration(at: index))
                }
                #expect(await GTK.wait { view.animator?.currentFrameIndex == 0 })
            }
        }
    }
#endif
