import Foundation
import KingfisherCodecSupport
import Synchronization

/// The frames of an animation, decoded on demand by one decoder, because frames may depend on earlier ones.
///
/// Playing forwards decodes one frame a call; a step backwards starts again. Safe from any thread; calls are
/// serialized.
final class JPEGXLFrameSource: ImageFrameSource {
    let data: Data?
    private let file: JPEGXLBytes
    private let info: JPEGXLInfo
    private let timing: AnimationTiming
    private let playhead = Mutex<JPEGXLPlayhead?>(nil)
    private let context = DecodingContext.current

    convenience init(_ data: Data, info: JPEGXLInfo, timing: AnimationTiming) {
        self.init(JPEGXLBytes(data), data, info, timing)
    }

    private init(_ file: JPEGXLBytes, _ data: Data?, _ info: JPEGXLInfo, _ timing: AnimationTiming) {
        (self.file, self.data, self.info, self.timing) = (file, data, info, timing)
    }

    var frameCount: Int { timing.durations.count }
    var loopCount: Int { timing.loopCount }

    func duration(at index: Int) -> TimeInterval {
        timing.durations.indices.contains(index) ? timing.durations[index] : 0
    }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        try? decodedFrame(at: index, maxSize: maxSize)
    }

    func copy() -> JPEGXLFrameSource {
        inContext { JPEGXLFrameSource(file, data, info, timing) }
    }

    /// Throws if the frame cannot be decoded.
    func decodedFrame(at index: Int, maxSize: CGSize? = nil) throws(ImageCodecError) -> PixelBuffer {
        guard timing.durations.indices.contains(index) else { throw .corrupt("no frame \(index)") }
        let shown = info.header.displaySize
        let target = maxSize.map { shown.fitted(within: $0) }
        return try inContext { () throws(ImageCodecError) in
            let pixels = try playhead.withLock { playhead throws(ImageCodecError) in
                do throws(ImageCodecError) {
                    if let last = playhead, last.frames.position > index { playhead = nil }
                    let current: JPEGXLPlayhead
                    if let playhead { current = playhead } else { current = try JPEGXLPlayhead(file, info) }
                    playhead = current
                    current.frames.skip(index - current.frames.position)
                    return try current.frames.decodeNext(minimumSize: target?.doubled)
                } catch {
                    // The next call starts with a decoder without the failure.
                    playhead = nil
                    throw error
                }
            }
            guard let target, target != shown else { return try pixels.finished() }
            return try pixels.resized(to: target).finished()
        }
    }

    private func inContext<Value, Failure: Error>(
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let context else { return try body() }
        return try context.run(body)
    }
}

private final class JPEGXLPlayhead {
    let frames: JPEGXLFrames
    private let file: JPEGXLBytes

    init(_ file: JPEGXLBytes, _ info: JPEGXLInfo) throws(ImageCodecError) {
        frames = try JPEGXLFrames(file.bytes, info)
        self.file = file
    }
}

/// A file in memory that does not move, because libjxl refers to it between calls.
///
/// Unchecked: the memory is written in `init` only, and freed in `deinit`.
private final class JPEGXLBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    init(_ data: Data) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        copy.copyBytes(from: data)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
