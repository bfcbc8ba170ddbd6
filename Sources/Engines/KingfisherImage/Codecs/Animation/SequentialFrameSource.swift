public import Foundation
import Synchronization

/// A library's decoder of an animation, which decodes frames in order, because they may depend on earlier
/// ones.
public protocol SequentialFrameDecoder: AnyObject {
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
    /// Makes a decoder that starts with the first frame.
    public typealias Opening = @Sendable () throws(ImageCodecError) -> sending Decoder

    public let data: Data?
    private let size: PixelSize
    private let timing: AnimationTiming
    private let open: Opening
    private let decoder = Mutex<Decoder?>(nil)
    private let context = DecodingContext.current

    /// The frames of `data`, which have `size` and `timing`; `open` is called for each decoder.
    public init(_ data: Data?, size: PixelSize, timing: AnimationTiming, open: @escaping Opening) {
        (self.data, self.size, self.timing, self.open) = (data, size, timing, open)
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
        context.run { SequentialFrameSource(data, size: size, timing: timing, open: open) }
    }

    /// The frame that ``frame(at:maxSize:)`` returns; throws if it cannot be decoded.
    public func decodedFrame(at index: Int, maxSize: CGSize? = nil) throws(ImageCodecError) -> PixelBuffer {
        guard timing.durations.indices.contains(index) else { throw .corrupt("no frame \(index)") }
        let fitted = maxSize.map { size.fitted(within: $0) }
        let target = fitted == size ? nil : fitted
        return try context.run { () throws(ImageCodecError) in
            try decoder.withLock { decoder throws(ImageCodecError) in
                do throws(ImageCodecError) {
                    if let last = decoder, !last.canDecode(frame: index) { decoder = nil }
                    let current: Decoder
                    if let decoder { current = decoder } else { current = try open() }
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
}
