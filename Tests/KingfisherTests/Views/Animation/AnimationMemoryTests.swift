import Foundation
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// The actual memory of frames and decoders of a file, independent of the accounting.
@Suite @MainActor struct AnimationMemoryTests {
    /// Frames of a file that track the decoders made for them.
    private final class WatchedFrames: PlayableFrameSource {
        private struct Decoder: Sendable {
            weak var frames: ComposedFrameSource<GIFCompositor>?
        }

        private final class Decoders: Sendable {
            let list = Mutex<[Decoder]>([])
        }

        private let frames: ComposedFrameSource<GIFCompositor>
        private let decoders: Decoders

        init(_ frames: ComposedFrameSource<GIFCompositor>) {
            (self.frames, decoders) = (frames, Decoders())
        }

        private init(_ frames: ComposedFrameSource<GIFCompositor>, of source: WatchedFrames) {
            (self.frames, decoders) = (frames, source.decoders)
            decoders.list.withLock { $0.append(Decoder(frames: frames)) }
        }

        /// The memory of all live decoders between two frames.
        var decoderBytes: Int {
            decoders.list.withLock { $0.reduce(0) { $0 + ($1.frames?.canvasBytes ?? 0) } }
        }

        var data: Data? { frames.data }
        var frameCount: Int { frames.frameCount }
        func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
            frames.frame(at: index, maxSize: maxSize)
        }
        func duration(at index: Int) -> TimeInterval { frames.duration(at: index) }
        func copy() -> WatchedFrames { WatchedFrames(frames.copy(), of: self) }
        func copyForPlaying() -> WatchedFrames { WatchedFrames(frames.copyForPlaying(), of: self) }
    }

    private static let count = 100
    /// 16 x 16 pixels.
    private static let frameBytes = 16 * 16 * 4

    /// Each frame adds a dot to the previous ones for a tenth of a second: only the first is a key frame.
    private func dots() throws -> WatchedFrames {
        let head = Data("GIF89a".utf8) + [16, 0, 16, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let frames = (0..<Self.count).map { index in
            Data([0x2C, UInt8(index % 16), 0, UInt8(index / 16), 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0])
        }
        let decoder = try GIFCodec().open(EncodedFile(frames.reduce(head, +) + [0x3B]))
        return WatchedFrames(try #require(try decoder.frames() as? ComposedFrameSource<GIFCompositor>))
    }

    @discardableResult
    private func showDots(on rig: AnimationRig) async throws -> WatchedFrames {
        rig.view.needsPrescaling = false
        let source = try dots()
        rig.view.image = KingfisherWrapper<Image>.animatedImage(
            source: source, options: ImageCreatingOptions())
        await rig.settle()
        return source
    }

    /// Plays `loops` loops and returns the maximum number of bytes in use.
    private func play(_ loops: Int, of source: WatchedFrames, on rig: AnimationRig) async throws -> Int {
        let animator = try #require(rig.view.animator)
        var most = 0
        for look in 1...loops * Self.count {
            await rig.look(after: 0.1)
            #expect(animator.currentFrameIndex == look % Self.count)
            let frames = (0..<Self.count).compactMap { animator.frame(at: $0)?.pixels?.byteCount }
            let held = frames.reduce(source.decoderBytes, +)
            #expect(held <= rig.budget.used, "look \(look)")
            most = max(most, held)
        }
        return most
    }

    @Test(
        "Playing a file larger than the budget stays within it, in any decoding order")
    func playing() async throws {
        let limit = 42 * Self.frameBytes
        let rig = AnimationRig(budget: FrameBudget(limit: limit))
        let source = try await showDots(on: rig)
        let most = try await play(4, of: source, on: rig)
        // Forty frames and a decoder of two canvases.
        #expect(most <= limit && most > limit * 3 / 4)
    }

    @Test("Frames of 16 bits count with eight bytes a pixel before they are decoded")
    func deepFrames() async throws {
        let format = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .opaque)
        let frames = try (0..<10).map { _ in
            try PixelBuffer(width: 16, height: 16, format: format, zeroed: true) { _, _ in }
        }
        let limit = 5 * 2 * Self.frameBytes + Self.frameBytes
        let rig = AnimationRig(budget: FrameBudget(limit: limit))
        rig.view.needsPrescaling = false
        rig.view.image = KingfisherWrapper<Image>.animatedImage(
            source: ListedFrames(
                frames: frames, durations: Array(repeating: 0.1, count: 10), loopCount: 0),
            options: ImageCreatingOptions())
        await rig.settle()
        for _ in 0..<20 {
            await rig.look(after: 0.1)
            #expect(rig.budget.used <= limit)
        }
        #expect(rig.budget.used >= limit / 2)
    }

    @Test("Decoders of paused animations release memory for those that play")
    func idleDecoders() async throws {
        let budget = FrameBudget(limit: 24 * Self.frameBytes)
        let hidden = try (0..<10).map { _ in
            let (rig, source) = (AnimationRig(budget: budget), try dots())
            rig.view.needsPrescaling = false
            rig.view.framePreloadCount = 0
            rig.view.image = KingfisherWrapper<Image>.animatedImage(
                source: source, options: ImageCreatingOptions())
            return (rig: rig, source: source)
        }
        defer { withExtendedLifetime(hidden) {} }
        for (rig, _) in hidden {
            await rig.settle()
            await rig.look(after: 0.1)
            rig.show(false)
        }
        let rig = AnimationRig(budget: budget)
        defer { withExtendedLifetime(rig) {} }
        try await showDots(on: rig)
        let animator = try #require(rig.view.animator)
        // The ten hidden views retain one frame each; the rest of the budget is for the view that plays.
        #expect((0..<Self.count).count { animator.frame(at: $0) != nil } == 11)
        #expect(budget.used <= budget.limit)
        budget.limit = 0
        #expect(hidden.allSatisfy { $0.rig.view.animator?.currentFrameImage != nil })
        #expect(hidden.allSatisfy { $0.source.decoderBytes == 0 })
        #expect(budget.used == (10 + 2 + 2) * Self.frameBytes)
    }

    @Test(
        "Idle decoders are released by a purge, a limit or memory pressure",
        arguments: ["purge", "limit", "pressure"])
    func releasedDecoders(way: String) async throws {
        let rig = AnimationRig()
        let source = try await showDots(on: rig)
        func giveBack() async {
            switch way {
            case "purge": rig.view.purgeFrames()
            case "limit": rig.budget.limit = 0
            default: rig.budget.relieve(.critical)
            }
            await rig.view.animator?.drain()
        }
        await giveBack()
        // It plays and needs its decoder.
        #expect(source.decoderBytes > 0)
        rig.show(false)
        await giveBack()
        #expect(source.decoderBytes == 0 && rig.budget.used == Self.frameBytes)
        rig.budget.limit = 1 << 20
        rig.show(true)
        await rig.settle()
        await rig.look(after: 0.1)
        #expect(rig.view.animator?.currentFrameIndex == 1)
    }
}
