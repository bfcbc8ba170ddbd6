import Foundation
import KingfisherImage
import Synchronization
import Testing

/// Displaying an animation requires only its first frame; later frames are decoded on request.
@Suite struct FirstFrameAloneTests {
    /// The numbers of the drawn frames, in order.
    private final class Record: Sendable {
        private let numbers = Mutex<[Int]>([])
        var drawn: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    private struct RecordingCompositor: FrameCompositor {
        let record: Record
        let canvas = PixelSize(width: 2, height: 2)
        let timing = AnimationTiming(durations: Array(repeating: 0.1, count: 40))

        func isKeyFrame(_ number: Int) -> Bool { number == 0 }

        func compose(
            _ number: Int, of file: ByteReader, over base: PixelBuffer?
        ) throws(ImageCodecError) -> PixelBuffer {
            record.add(number)
            return try PixelBuffer.decoding(canvas, format: .rgba8Premultiplied) { _, _ in }
        }

        func base(
            after number: Int, shown: PixelBuffer, over base: PixelBuffer?
        ) throws(ImageCodecError) -> PixelBuffer? { shown }
    }

    private let record = Record()

    private func image(_ options: ImageCreatingOptions = ImageCreatingOptions()) throws -> Image {
        let source = ComposedFrameSource(EncodedFile(Data([0])), RecordingCompositor(record: record))
        return try Image.animated(source, options: options)
    }

    @Test func onlyTheFirstFrameIsDrawn() throws {
        let image = try image()
        #expect(image.pixels != nil && image.kf.imageFrameCount == 40)
        #expect(record.drawn == [0])
        #expect(image.kf.frameSource?.frame(at: 1) != nil)
        #expect(record.drawn == [0, 1])
    }

    @Test func loadingOnlyTheFirstFrameDrawsOneFrame() throws {
        #expect(try image(ImageCreatingOptions(onlyFirstFrame: true)).pixels != nil)
        #expect(record.drawn == [0])
    }

    @Test func preloadingDrawsEachFrameOnce() throws {
        #expect(try image(ImageCreatingOptions(preloadAll: true)).images?.count == 40)
        #expect(record.drawn == Array(0..<40))
    }
}
