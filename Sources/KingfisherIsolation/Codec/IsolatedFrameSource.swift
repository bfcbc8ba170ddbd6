import Foundation
import KingfisherImage
import Synchronization

/// The frames of an animation that decoder processes decode; any process may decode any frame.
final class IsolatedFrameSource: ImageFrameSource {
    let data: Data?
    private let file: Data
    private let codec: IsolatedCodec
    private let facts: FramesFacts
    private let canvas: PixelSize
    private let context = DecodingContext.current
    /// The first frame, until it is requested.
    private let first: Mutex<PixelBuffer?>

    /// Frames that do not have the size of `canvas` are corrupt.
    init(codec: IsolatedCodec, facts: FramesFacts, data: Data, canvas: PixelSize, first: PixelBuffer? = nil) {
        (self.codec, self.facts, self.data, file) = (codec, facts, data, data)
        self.canvas = canvas
        self.first = Mutex(first)
    }

    var frameCount: Int { facts.durations.count }
    var loopCount: Int { facts.loopCount }

    func duration(at index: Int) -> TimeInterval {
        facts.durations.indices.contains(index) ? facts.durations[index] : 0
    }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard facts.durations.indices.contains(index) else { return nil }
        if index == 0, maxSize == nil, let frame = first.withLock({ $0.take() }) { return frame }
        let size = maxSize.map { canvas.fitted(within: $0) } ?? canvas
        let frame = context.run { try? codec.pixels(file, .frame(index, maximumSize: maxSize)) }
        return frame?.size == size ? frame : nil
    }

    func copy() -> IsolatedFrameSource {
        context.run { IsolatedFrameSource(codec: codec, facts: facts, data: file, canvas: canvas) }
    }
}
