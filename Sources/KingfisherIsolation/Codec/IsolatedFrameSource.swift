import Foundation
import KingfisherImage
import Synchronization

/// The frames of an animation that decoder processes decode; any process may decode any frame.
final class IsolatedFrameSource: ImageFrameSource {
    let data: Data?
    private let file: Data
    private let codec: IsolatedCodec
    private let facts: FramesFacts
    private let header: ImageHeader
    private let context = DecodingContext.current
    /// The first frame, until it is requested.
    private let first = Mutex<PixelBuffer?>(nil)

    /// Frames that do not have the size of `header` are corrupt.
    init(codec: IsolatedCodec, facts: FramesFacts, data: Data, header: ImageHeader) {
        (self.codec, self.facts, self.data, file, self.header) = (codec, facts, data, data, header)
    }

    /// The first frame is shown immediately, so its errors belong to the source.
    func decodeFirst() throws(ImageCodecError) {
        let frame = try pixels(at: 0, maxSize: nil)
        first.withLock { $0 = frame }
    }

    var frameCount: Int { facts.durations.count }
    var loopCount: Int { facts.loopCount }

    func duration(at index: Int) -> TimeInterval {
        facts.durations.indices.contains(index) ? facts.durations[index] : 0
    }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard facts.durations.indices.contains(index) else { return nil }
        if index == 0, maxSize == nil, let frame = first.withLock({ $0.take() }) { return frame }
        return context.run { try? pixels(at: index, maxSize: maxSize) }
    }

    private func pixels(at index: Int, maxSize: CGSize?) throws(ImageCodecError) -> PixelBuffer {
        let canvas = header.displaySize
        let size = maxSize.map { canvas.fitted(within: $0) } ?? canvas
        return try codec.pixels(file, .frame(index, maximumSize: maxSize), .exactly(size), header)
    }

    func copy() -> IsolatedFrameSource {
        context.run { IsolatedFrameSource(codec: codec, facts: facts, data: file, header: header) }
    }
}
