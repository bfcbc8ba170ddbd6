import Foundation
import KingfisherImage
import Synchronization

/// The frames of an animation that decoder processes decode; any process may decode any frame.
final class IsolatedFrameSource: ImageFrameSource {
    let data: Data?
    private let file: Data
    private let codec: IsolatedCodec
    private let facts: FramesFacts
    private let context = DecodingContext.current
    /// The first frame, until it is requested: it was decoded to see whether it can be.
    private let first = Mutex<PixelBuffer?>(nil)

    init(codec: IsolatedCodec, facts: FramesFacts, data: Data) {
        (self.codec, self.facts, self.data, file) = (codec, facts, data, data)
    }

    var frameCount: Int { facts.durations.count }
    var loopCount: Int { facts.loopCount }

    func duration(at index: Int) -> TimeInterval {
        facts.durations.indices.contains(index) ? facts.durations[index] : 0
    }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard facts.durations.indices.contains(index) else { return nil }
        if index == 0, maxSize == nil, let frame = first.withLock({ $0.take() }) { return frame }
        return try? decodedFrame(at: index, maxSize: maxSize)
    }

    func copy() -> IsolatedFrameSource {
        context.run { IsolatedFrameSource(codec: codec, facts: facts, data: file) }
    }

    func decodeFirst() throws(ImageCodecError) {
        guard frameCount > 0 else { throw .corrupt("no first frame") }
        let frame = try decodedFrame(at: 0, maxSize: nil)
        try ImageLimits.check(frames: frameCount, of: frame.size)
        first.withLock { $0 = frame }
    }

    private func decodedFrame(at index: Int, maxSize: CGSize?) throws(ImageCodecError) -> PixelBuffer {
        try context.run { () throws(ImageCodecError) in
            try codec.pixels(file, .frame(index, maximumSize: maxSize))
        }
    }
}
