#if WITH_WEBP
    import CGtk
    import Foundation
    import Kingfisher
    import KingfisherGTK
    import KingfisherTestSupport
    import KingfisherWebP
    import Testing

    extension GTKTests {
        /// The documented steps of the classic extension: with two options and without registration WebP
        /// loads from the server and from disk.
        @Suite(.serialized) @MainActor struct WebPStory {
            private let options: KingfisherOptionsInfo = [
                .processor(WebPProcessor.default), .cacheSerializer(WebPCacheSerializer.default),
            ]

            /// The mean difference per sample between the view and the stretched `pixels`, in levels of 255.
            private func distance(_ image: Screenshot, _ pixels: PixelBuffer) -> Double {
                let frame = StoryRig.frame
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

            @Test("WebP is shown from the network and then from disk")
            func still() async throws {
                let file = try Fixtures.data(named: "WebP/photo-q95.webp")
                let rig = try StoryRig(serving: ["photo.webp": file])
                try await rig.open()
                let fetched = StoryLoad()
                rig.view.kf.setImage(
                    with: rig.url("photo.webp"), options: options + [.waitForCache] + rig.options
                ) { fetched.record($0) }
                let first = try await fetched.result()
                #expect(first.cacheType == .none && first.data() == file)
                let pixels = try #require(first.image.pixels)
                let image = try await rig.image()
                #expect(distance(image, pixels) < 12)
                #expect(image.box { $0 != StoryRig.background } == StoryRig.frame)
                #expect(rig.filesOnDisk == [file])

                rig.cache.clearMemoryCache()
                rig.view.image = nil
                #expect(try await rig.image().box { $0 != StoryRig.background } == nil)
                let read = StoryLoad()
                rig.view.kf.setImage(with: rig.url("photo.webp"), options: options + rig.options) {
                    read.record($0)
                }
                let second = try await read.result()
                #expect(second.cacheType == .disk && second.data() == file)
                #expect(try await rig.image() == image)
                #expect(rig.requestCount == 1)
            }

            @Test("An animated WebP plays all its frames in a loop")
            func animated() async throws {
                let file = try Fixtures.data(named: "WebP/anim-img2webp-lossless.webp")
                let rig = try StoryRig(AnimatedImageView(), serving: ["pan.webp": file])
                try await rig.open()
                let load = StoryLoad()
                rig.view.kf.setImage(
                    with: rig.url("pan.webp"), options: options + [.waitForCache] + rig.options
                ) { load.record($0) }
                let source = try #require(try await load.result().image.kf.frameSource)
                #expect(rig.filesOnDisk == [file])
                let view = try #require(rig.view as? AnimatedImageView)
                let frames = (0..<source.frameCount).compactMap { source.frame(at: $0) }
                #expect(frames.count == 6)
                for index in frames.indices {
                    try #require(await GTK.wait { view.animator?.currentFrameIndex == index })
                    let image = try await rig.image()
                    let distances = frames.map { distance(image, $0) }
                    #expect(distances[index] < 12 && distances[index] == distances.min(), "frame \(index)")
                    rig.clock.advance(by: source.duration(at: index))
                }
                #expect(await GTK.wait { view.animator?.currentFrameIndex == 0 })
            }
        }
    }
#endif
