import Foundation
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import Testing

@testable import Kingfisher

/// What a real file's frames and decoders hold, counted where they are and not in the books.
@Suite @MainActor struct AnimationMemoryTests {
    /// A file's frames that remember every decoder that was made for them.
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

        /// What the decoders that live hold between two frames.
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

    /// Frames of a dot each over the ones before, a tenth of a second long: no key frame but the first.
    private func dots() throws -> WatchedFrames {
        let head = Data("GIF89a".utf8) + [16, 0, 16, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
        let frames = (0..<Self.count).map { index in
            Data([0x2C, UInt8(index % 16), 0, UInt8(index / 16), 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0])
        }
        return WatchedFrames(try GIFCodec.source(frames.reduce(head, +) + [0x3B]))
    }

    /// Plays `loops` loops, and tells the most bytes that were held at any look.
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
        "Playing a file that does not fit keeps to the budget, whatever the order that frames are decoded in")
    func playing() async throws {
        let limit = 42 * Self.frameBytes
        let rig = AnimationRig(budget: FrameBudget(limit: limit))
        rig.view.needsPrescaling = false
        let source = try dots()
        rig.view.image = KingfisherWrapper<Image>.animatedImage(
            source: source, options: ImageCreatingOptions())
        await rig.settle()
        let most = try await play(4, of: source, on: rig)
        // Forty frames and a decoder of two canvases.
        #expect(most <= limit && most > limit * 3 / 4)
    }

    @Test("Decoders of animations that nobody plays make room for those that somebody does")
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
        for (rig, _) in hidden {
            await rig.settle()
            await rig.look(after: 0.1)
            rig.show(false)
        }
        let rig = AnimationRig(budget: budget)
        rig.view.needsPrescaling = false
        let source = try dots()
        rig.view.image = KingfisherWrapper<Image>.animatedImage(
            source: source, options: ImageCreatingOptions())
        await rig.settle()
        let animator = try #require(rig.view.animator)
        // What the ten show stays, one frame each; all the rest of the budget is there for the one that
        // plays.
        #expect((0..<Self.count).count { animator.frame(at: $0) != nil } == 11)
        #expect(budget.used <= budget.limit)
        budget.limit = 0
        #expect(hidden.allSatisfy { $0.rig.view.animator?.currentFrameImage != nil })
        #expect(hidden.allSatisfy { $0.source.decoderBytes == 0 })
        #expect(budget.used == (10 + 2 + 2) * Self.frameBytes)
    }

    @Test(arguments: ["purge", "limit", "pressure"])
    func idleDecodersGo(way: String) async throws {
        let rig = AnimationRig()
        rig.view.needsPrescaling = false
        let source = try dots()
        rig.view.image = KingfisherWrapper<Image>.animatedImage(
            source: source, options: ImageCreatingOptions())
        await rig.settle()
        func giveBack() async {
            switch way {
            case "purge": rig.view.purgeFrames()
            case "limit": rig.budget.limit = 0
            default: rig.budget.relieve(.critical)
            }
            await rig.view.animator?.drain()
        }
        await giveBack()
        // It plays, and so has a use for its decoder.
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
