import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherImage
@testable import KingfisherWebP

/// Animations against WebPAnimDecoder: as its tool stored them, and called from here.
@Suite struct WebPAnimationTests {
    private let codec = WebPCodec()

    private func source(_ data: Data) throws -> any ImageFrameSource {
        try #require(try codec.frameSource(for: data))
    }

    /// The colours of the one with a profile are converted; `WebPColorTests` has it.
    static let plain = WebPSamples.animations.filter { !$0.contains("anim-metadata") }

    @Test(arguments: plain) func equalsTheStoredReference(name: String) throws {
        let source = try source(Fixtures.data(named: name))
        let reference = [UInt8](try Fixtures.data(named: name + ".rgba"))
        let frames = try (0..<source.frameCount).map {
            WebPSamples.bytes(try #require(source.frame(at: $0)))
        }
        #expect(frames.flatMap(\.self) == reference)
    }

    @Test(arguments: plain) func equalsWebPAnimDecoderInAnyOrder(name: String) throws {
        let data = try Fixtures.data(named: name)
        let reference = try #require(WebPAnimDecoderReference.frames(of: data))
        let source = try source(data)
        #expect(source.frameCount == reference.count)
        var generator = SplitMix64(state: UInt64(data.count))
        let shuffled = (0..<60).map { _ in Int.random(in: 0..<reference.count, using: &generator) }
        for index in Array(reference.indices) + reference.indices.reversed() + shuffled {
            let frame = try #require(source.frame(at: index))
            #expect(WebPSamples.bytes(frame) == reference[index].pixels, "frame \(index)")
            #expect(!frame.format.isOpaque || frame.isEntirelyOpaque)
        }
        #expect(source.frame(at: -1) == nil)
        #expect(source.frame(at: reference.count) == nil)
    }

    private struct Facts: Decodable {
        let loops: Int
        let milliseconds: [Int]
    }

    @Test func timingIsTheFiles() throws {
        let facts = try JSONDecoder().decode(
            [String: Facts].self, from: Fixtures.data(named: "WebP/animations.json"))
        #expect(facts.count == WebPSamples.animations.count)
        for (name, facts) in facts {
            let source = try source(Fixtures.data(named: "WebP/" + name))
            let delays = (0..<source.frameCount).map(source.duration(at:))
            // What is too short to be meant is shown for a tenth of a second, as in GIF.
            #expect(delays == facts.milliseconds.map { $0 <= 11 ? 0.1 : Double($0) / 1000 }, "\(name)")
            #expect(source.loopCount == facts.loops, "\(name)")
        }
    }

    @Test func oneFrameIsAnAnimationOfOne() throws {
        let data = try Fixtures.data(named: "WebP/anim-one-frame.webp")
        let source = try source(data)
        #expect(source.frameCount == 1)
        #expect(try codec.header(of: data).timing?.durations.count == 1)
    }

    @Test(arguments: ["anim-walk-1", "anim-img2webp-lossy", "anim-larger-canvas", "anim-one-frame-offset"])
    func theStillIsTheFirstFrame(name: String) throws {
        let data = try Fixtures.data(named: "WebP/\(name).webp")
        let still = try codec.decode(data, minimumSize: nil)
        let first = try #require(try source(data).frame(at: 0))
        #expect(still.format == first.format)
        #expect(WebPSamples.bytes(still) == WebPSamples.bytes(first))
    }

    /// The frames before are damaged one by one, so that whoever decoded them would fail.
    @Test(arguments: ["anim-key-frames", "anim-walk-0", "anim-walk-2", "anim-img2webp-key-frames"])
    func aKeyFrameNeedsNoOtherFrame(name: String) throws {
        let data = try Fixtures.data(named: "WebP/\(name).webp")
        let reference = try #require(WebPAnimDecoderReference.frames(of: data))
        let file = try data.reading(WebPFile.init(scanning:))
        let compositor = WebPCompositor(file, colors: nil)
        let keys = file.frames.indices.filter(compositor.isKeyFrame)
        #expect(keys.count > 1)
        #expect(name == "anim-key-frames" || keys.count < file.frames.count)
        for key in keys {
            var damaged = data
            for frame in file.frames[..<key] { damaged.spoil(frame) }
            let source = try #require(try WebPCodec.source(damaged))
            #expect(WebPSamples.bytes(try source.composedFrame(at: key)) == reference[key].pixels)
        }
    }

    @Test func playingKeepsTwoCanvasesAtMost() throws {
        let source = try #require(try WebPCodec.source(Fixtures.data(named: "WebP/anim-walk-2.webp")))
        let player = source.copyForPlaying()
        for index in (0..<player.frameCount) {
            _ = try player.composedFrame(at: index)
            #expect(player.canvasBytes <= 2 * 24 * 18 * 4)
        }
    }

    @Test func manyThreadsMayAskAtOnce() async throws {
        let data = try Fixtures.data(named: "WebP/anim-walk-0.webp")
        let reference = try #require(WebPAnimDecoderReference.frames(of: data)).map(\.pixels)
        let source = try source(data)
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                let index = number * 7 % reference.count
                group.addTask { source.frame(at: index).map(WebPSamples.bytes) == reference[index] }
            }
            for await same in group { #expect(same) }
        }
    }

    @Test func framesAreShrunkToFit() throws {
        let source = try source(Fixtures.data(named: "WebP/anim-img2webp-lossy.webp"))
        let small = try #require(source.frame(at: 1, maxSize: CGSize(width: 10, height: 10)))
        #expect(small.size == PixelSize(width: 10, height: 8))
    }

    @Test func downsamplingDecodesTheFirstFrameAlone() throws {
        let data = try Fixtures.data(named: "WebP/anim-img2webp-lossless.webp")
        let size = PixelSize(width: 20, height: 15)
        #expect(try codec.decode(data, minimumSize: size).size == size)
        let file = try data.reading(WebPFile.init(scanning:))
        var damaged = data
        for frame in file.frames.dropFirst() { damaged.spoil(frame) }
        #expect(
            WebPSamples.bytes(try codec.decode(damaged, minimumSize: size))
                == WebPSamples.bytes(try codec.decode(data, minimumSize: size)))
    }

    @Test func framesAreCounted() throws {
        let dot = try RIFF.bitstream(of: "WebP/lossless-1x1.webp")
        func file(_ count: Int) -> Data {
            let frame = RIFF.anmf(dot, width: 1, height: 1)
            let frames = Data((0..<count).flatMap { _ in frame })
            return RIFF.file(RIFF.vp8x(2, width: 1, height: 1), RIFF.anim(), frames)
        }
        #expect(try codec.header(of: file(10_000)).frameCount == 10_000)
        #expect(throws: ImageCodecError.unsupported("more than 10000 frames")) {
            try codec.header(of: file(10_001))
        }
    }
}

extension Data {
    /// Overwrites the end of the frame's bitstream, which leaves the chunks' heads as they are.
    fileprivate mutating func spoil(_ frame: WebPFrame) {
        let end = frame.fragment.offset + frame.fragment.count
        let body = end - frame.fragment.count / 8..<end
        replaceSubrange(body, with: Data(repeating: 0xFF, count: body.count))
    }
}
