import Foundation
import KingfisherImage
import Synchronization

/// The frames of an animation that decoder processes decode; any process may decode any frame.
final class IsolatedFrameSource: ImageFrameSource {
    private let file: IsolatedFile
    private let header: ImageHeader
    private let description: FramesDescription
    private let context = DecodingContext.current
    /// The first frame, until it is requested.
    private let first = Mutex<PixelBuffer?>(nil)

    /// Frames that do not have the size of `header` are corrupt.
    init(_ file: IsolatedFile, _ header: ImageHeader, _ description: FramesDescription) {
        (self.file, self.header, self.description) = (file, header, description)
    }

    /// The first frame is shown immediately, so its errors belong to the source.
    func decodeFirst() throws(ImageCodecError) {
        let frame = try pixels(at: 0, maxSize: nil)
        first.withLock { $0 = frame }
    }

    var data: Data? { file.encoded.data }
    var frameCount: Int { description.durations.count }
    var loopCount: Int { description.loopCount }

    func duration(at index: Int) -> TimeInterval {
        description.durations.indices.contains(index) ? description.durations[index] : 0
    }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard description.durations.indices.contains(index) else { return nil }
        if index == 0, maxSize == nil, let frame = first.withLock({ $0.take() }) { return frame }
        return context.run { try? pixels(at: index, maxSize: maxSize) }
    }

    private func pixels(at index: Int, maxSize: CGSize?) throws(ImageCodecError) -> PixelBuffer {
        try Exchange(.frame(index, maximumSize: maxSize), file, header: header).pixels()
    }

    func copy() -> IsolatedFrameSource {
        context.run { IsolatedFrameSource(file, header, description) }
    }
}
