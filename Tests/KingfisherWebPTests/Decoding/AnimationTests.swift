import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage
@testable import KingfisherWebP

/// Compositing of animation frames: from key frames, in little memory, from many threads.
@Suite struct AnimationTests {
    private let codec = WebPCodec()

    private func source(_ data: Data) throws -> any ImageFrameSource {
        try #require(try codec.frameSource(for: data))
    }

    @Test(arguments: ["anim-walk-1", "anim-img2webp-lossy", "anim-larger-canvas", "anim-one-frame-offset"])
    func decodingYieldsTheFirstFrame(name: String) throws {
        let data = try Fixtures.data(named: "WebP/\(name).webp")
        let still = try codec.decode(data, minimumSize: nil)
        let first = try #require(try source(data).frame(at: 0))
        #expect(still.format == first.format)
        #expect(Raster(still).bytes == Raster(first).bytes)
    }

    /// The frames before are corrupted one by one, so that decoding them would fail.
    @Test(arguments: ["anim-key-frames", "anim-walk-0", "anim-walk-2", "anim-img2webp-key-frames"])
    func aKeyFrameNeedsNoOtherFrame(name: String) throws {
        let data = try Fixtures.data(named: "WebP/\(name).webp")
        let reference = try Libwebp.animation(data).frames
        let file = try data.reading(WebPFile.init(scanning:))
        let compositor = WebPCompositor(file, colors: nil)
        let keys = file.frames.indices.filter(compositor.isKeyFrame)
        #expect(keys.count > 1)
        #expect(name == "anim-key-frames" || keys.count < file.frames.count)
        for key in keys {
            var damaged = data
            for frame in file.frames[..<key] { damaged.corrupt(frame) }
            let source = try #require(try WebPCodec.source(damaged))
            #expect(Raster(try source.composedFrame(at: key)).bytes == reference[key])
        }
    }

    @Test func playingHoldsAtMostTwoCanvases() throws {
        let source = try #require(try WebPCodec.source(Fixtures.data(named: "WebP/anim-walk-2.webp")))
        let player = source.copyForPlaying()
        for index in (0..<player.frameCount) {
            _ = try player.composedFrame(at: index)
            #expect(player.canvasBytes <= 2 * 24 * 18 * 4)
        }
    }

    @Test func framesMayBeRequestedFromManyThreads() async throws {
        let data = try Fixtures.data(named: "WebP/anim-walk-0.webp")
        let reference = try Libwebp.animation(data).frames
        let source = try source(data)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                let index = number * 7 % reference.count
                group.addTask { source.frame(at: index).map { Raster($0).bytes } == reference[index] }
            }
            for await same in group { #expect(same) }
        }
    }

    @Test func framesAreShrunkToFit() throws {
        let source = try source(Fixtures.data(named: "WebP/anim-img2webp-lossy.webp"))
        let small = try #require(source.frame(at: 1, maxSize: CGSize(width: 10, height: 10)))
        #expect(small.size == PixelSize(width: 10, height: 8))
    }

    @Test func downsamplingDecodesOnlyTheFirstFrame() throws {
        let data = try Fixtures.data(named: "WebP/anim-img2webp-lossless.webp")
        let size = PixelSize(width: 20, height: 15)
        #expect(try codec.decode(data, minimumSize: size).size == size)
        let file = try data.reading(WebPFile.init(scanning:))
        var damaged = data
        for frame in file.frames.dropFirst() { damaged.corrupt(frame) }
        #expect(
            Raster(try codec.decode(damaged, minimumSize: size))
                == Raster(try codec.decode(data, minimumSize: size)))
    }
}

extension Data {
    /// Overwrites the end of the frame's bitstream and leaves the chunk headers unchanged.
    fileprivate mutating func corrupt(_ frame: WebPFrame) {
        let end = frame.fragment.offset + frame.fragment.count
        let body = end - frame.fragment.count / 8..<end
        replaceSubrange(body, with: Data(repeating: 0xFF, count: body.count))
    }
}
