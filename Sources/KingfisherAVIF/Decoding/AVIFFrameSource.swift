import Foundation
import KingfisherCodecSupport
import Synchronization

/// The frames of a sequence, decoded on demand by one decoder, because most frames depend on earlier ones.
///
/// Playing forwards decodes one frame a call; a step backwards decodes from the nearest key frame. Safe from
/// any thread; calls are serialized.
final class AVIFFrameSource: ImageFrameSource {
    let data: Data?
    private let file: AVIFBytes
    private let header: ImageHeader
    private let timing: AnimationTiming
    private let playhead = Mutex<AVIFPlayhead?>(nil)
    private let context = DecodingContext.current

    convenience init(_ data: Data, header: ImageHeader, timing: AnimationTiming) {
        self.init(AVIFBytes(data), data, header, timing)
    }

    private init(_ file: AVIFBytes, _ data: Data?, _ header: ImageHeader, _ timing: AnimationTiming) {
        (self.file, self.data, self.header, self.timing) = (file, data, header, timing)
    }

    var frameCount: Int { timing.durations.count }
    var loopCount: Int { timing.loopCount }

    func duration(at index: Int) -> TimeInterval {
        timing.durations.indices.contains(index) ? timing.durations[index] : 0
    }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        try? decodedFrame(at: index, maxSize: maxSize)
    }

    func copy() -> AVIFFrameSource {
        inContext { AVIFFrameSource(file, data, header, timing) }
    }

    /// Throws if the frame cannot be decoded.
    func decodedFrame(at index: Int, maxSize: CGSize? = nil) throws(ImageCodecError) -> PixelBuffer {
        guard timing.durations.indices.contains(index) else { throw .corrupt("no frame \(index)") }
        let target = maxSize.map { header.displaySize.fitted(within: $0) } ?? header.displaySize
        return try inContext { () throws(ImageCodecError) in
            try playhead.withLock { playhead throws(ImageCodecError) in
                do throws(ImageCodecError) {
                    let current: AVIFPlayhead
                    if let playhead { current = playhead } else { current = try AVIFPlayhead(file) }
                    playhead = current
                    return try current.decoder.decode(frame: index).pixels(shrunkTo: target).finished()
                } catch {
                    // The next call starts with a decoder without the failure.
                    playhead = nil
                    throw error
                }
            }
        }
    }

    private func inContext<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let context else { return try body() }
        return try context.run(body)
    }
}

private final class AVIFPlayhead {
    let decoder: AVIFDecoder
    private let file: AVIFBytes

    init(_ file: AVIFBytes) throws(ImageCodecError) {
        decoder = try AVIFDecoder(file.bytes)
        self.file = file
    }
}

/// A file in memory that does not move, because libavif refers to it between calls.
///
/// Unchecked: the memory is written in `init` only, and freed in `deinit`.
private final class AVIFBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(_ data: Data) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        copy.copyBytes(from: data)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
