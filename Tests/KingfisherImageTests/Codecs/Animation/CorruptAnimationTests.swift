import Foundation
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherImage

/// How a frame that fails to decode affects the frames around it.
@Suite struct CorruptAnimationTests {
    private final class Counter: Sendable {
        private let numbers = Mutex<[Int]>([])
        var composed: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    /// Frames of one grey pixel whose level is the frame number, drawn over the previous ones; some fail.
    private struct CountingCompositor: FrameCompositor {
        let counter: Counter
        let broken: Set<Int>
        let keys: Set<Int>
        let canvas = PixelSize(width: 1, height: 1)
        let timing: AnimationTiming

        func isKeyFrame(_ number: Int) -> Bool { keys.contains(number) }

        func compose(
            _ number: Int, of file: ByteReader, over base: PixelBuffer?
        ) throws(ImageCodecError) -> PixelBuffer {
            counter.add(number)
            if broken.contains(number) { throw .corrupt("frame \(number)") }
            return try PixelBuffer.decoding(canvas, format: .rgba8Opaque) { rows, _ in
                rows.storeBytes(of: UInt32(number % 251) | 0xFF00_0000, as: UInt32.self)
            }
        }

        func base(
            after number: Int, shown: PixelBuffer, over base: PixelBuffer?
        ) throws(ImageCodecError) -> PixelBuffer? { shown }
    }

    private let counter = Counter()

    private func source(
        _ count: Int, broken: Set<Int>, keys: Set<Int> = [0]
    ) -> ComposedFrameSource<CountingCompositor> {
        let timing = AnimationTiming(durations: Array(repeating: 0.1, count: count))
        return ComposedFrameSource(
            EncodedFile(Data([0])),
            CountingCompositor(counter: counter, broken: broken, keys: keys, timing: timing))
    }

    private func level(_ pixels: PixelBuffer?) -> Int? { pixels?.samples(x: 0, y: 0)?.first.map { Int($0) } }

    @Test func playingPastACorruptFrameDrawsEachFrameOnce() {
        let steady = SteadyFrames(source(1000, broken: [500]))
        let levels = (0..<1000).map { level(steady.frame(at: $0)) }
        #expect(levels == (0..<1000).map { min($0, 499) % 251 })
        #expect(counter.composed == Array(0...500))
    }

    @Test func seekingAcrossACorruptFrameDoesNotReplayTheAnimation() {
        let source = source(1000, broken: [500])
        for number in 500..<1000 {
            #expect(source.frame(at: number) == nil)
            #expect(level(source.frame(at: 499)) == 499 - 251)
        }
        #expect(counter.composed.count <= 1003)
    }

    @Test func decodingResumesAtTheNextKeyFrame() throws {
        let source = source(12, broken: [2, 3, 8], keys: [0, 5, 8, 10])
        let levels = (0..<12).map { level(source.frame(at: $0)) }
        #expect(levels == [0, 1, nil, nil, nil, 5, 6, 7, nil, nil, 10, 11])
        #expect(counter.composed == [0, 1, 2, 5, 6, 7, 8, 10, 11])
        for number in [9, 3, 4, 2, 9, 6, 1] { #expect(level(source.frame(at: number)) == levels[number]) }
        #expect(throws: ImageCodecError.corrupt("frame 2")) { try source.composedFrame(at: 4) }
        #expect(throws: ImageCodecError.corrupt("frame 8")) { try source.composedFrame(at: 9) }
    }

    @Test func thePreviousFrameReplacesACorruptOneAtTheRequestedSize() throws {
        let data = try Fixtures.data(named: "APNG/opaque-rgb.apng")
        var list = ChunkList(data)
        for place in list.places("fdAT")[1...] {
            list.chunks[place].data.replaceSubrange(6..<20, with: Array(repeating: 0xFF, count: 14))
        }
        let steady = SteadyFrames(try APNGCodec.source(list.file))
        let last = try #require(steady.frame(at: 1))
        #expect(last.width > 2)
        for (index, side) in [(5, nil), (4, 2), (5, 2), (3, nil), (2, 1), (0, nil)] as [(Int, Int?)] {
            let limit = side.map { CGSize(width: $0, height: $0) }
            let shown = try #require(steady.frame(at: index, maxSize: limit))
            #expect(max(shown.width, shown.height) == side ?? max(last.width, last.height))
            if side == nil, index > 0 { #expect(Samples.all(shown) == Samples.all(last)) }
        }
    }
}
