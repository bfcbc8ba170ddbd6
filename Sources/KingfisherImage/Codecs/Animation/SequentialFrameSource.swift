public import Foundation
import Synchronization

/// A library's decoder of an animation, which decodes frames in order, because they may depend on earlier
/// ones.
public protocol SequentialFrameDecoder: AnyObject {
    /// What the codec has already read of the file.
    associatedtype Info: Sendable

    /// Opens a file, whose bytes stay valid while the decoder retains `file`.
    static func open(_ file: PinnedFile, _ info: Info) throws(ImageCodecError) -> sending Self

    /// Whether the decoder can still decode a frame; otherwise a new decoder does. The default is true.
    func canDecode(frame index: Int) -> Bool

    /// Decodes a frame, upright, in sRGB, and resampled to `target`; at full size if that is nil.
    func decode(frame index: Int, shrunkTo target: PixelSize?) throws(ImageCodecError) -> PixelBuffer
}

extension SequentialFrameDecoder {
    public func canDecode(frame index: Int) -> Bool { true }
}

/// The frames of an animation, decoded on demand by one decoder.
///
/// Safe from any thread; calls are serialized. A copy has a separate decoder.
public final class SequentialFrameSource<Decoder: SequentialFrameDecoder>: ImageFrameSource {
    public let data: Data?
    private let file: PinnedFile
    private let info: Decoder.Info
    private let size: PixelSize
    private let timing: AnimationTiming
    private let decoder = Mutex<Decoder?>(nil)
    private let context = DecodingContext.current

    /// The frames of `data`, which have `size` and `timing`.
    public convenience init(_ data: Data, _ info: Decoder.Info, size: PixelSize, timing: AnimationTiming) {
        self.init(PinnedFile(data), data, info, size, timing)
    }

    private init(
        _ file: PinnedFile, _ data: Data?, _ info: Decoder.Info, _ size: PixelSize, _ timing: AnimationTiming
    ) {
        (self.file, self.data, self.info, self.size, self.timing) = (file, data, info, size, timing)
    }

    public var frameCount: Int { timing.durations.count }
    public var loopCount: Int { timing.loopCount }

    public func duration(at index: Int) -> TimeInterval {
        timing.durations.indices.contains(index) ? timing.durations[index] : 0
    }

    public func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        try? decodedFrame(at: index, maxSize: maxSize)
    }

    public func copy() -> SequentialFrameSource {
        inContext { SequentialFrameSource(file, data, info, size, timing) }
    }

    /// The frame that ``frame(at:maxSize:)`` returns; throws if it cannot be decoded.
    public func decodedFrame(at index: Int, maxSize: CGSize? = nil) throws(ImageCodecError) -> PixelBuffer {
        guard timing.durations.indices.contains(index) else { throw .corrupt("no frame \(index)") }
        let fitted = maxSize.map { size.fitted(within: $0) }
        let target = fitted == size ? nil : fitted
        return try inContext { () throws(ImageCodecError) in
            try decoder.withLock { decoder throws(ImageCodecError) in
                do throws(ImageCodecError) {
                    if let last = decoder, !last.canDecode(frame: index) { decoder = nil }
                    let current: Decoder
                    if let decoder { current = decoder } else { current = try Decoder.open(file, info) }
                    decoder = current
                    return try current.decode(frame: index, shrunkTo: target)
                } catch {
                    // The next call starts with a decoder without the failure.
                    decoder = nil
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

/// A file in memory that does not move, for a library that refers to it between calls.
///
/// Unchecked: the memory is written in `init` only, and freed in `deinit`.
public final class PinnedFile: @unchecked Sendable {
    /// The bytes, valid while the object exists.
    public let bytes: UnsafeRawBufferPointer

    init(_ data: Data) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        copy.copyBytes(from: data)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
