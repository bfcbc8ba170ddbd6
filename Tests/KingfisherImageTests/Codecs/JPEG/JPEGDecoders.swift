import CJPEG
import CKernels
import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// The JPEG decoders of this package, and libjpeg, which decodes at the same scales: it says which verdict is
/// right, and at 1/8 and full size which pixels.
enum JPEGDecoders {
    enum Outcome: Equatable, CustomTestStringConvertible {
        case pixels([UInt8])
        /// Not decoded, or refused.
        case none

        var testDescription: String {
            guard case .pixels(let bytes) = self else { return "none" }
            return "\(bytes.count) bytes of pixels: \(bytes.prefix(8))"
        }
    }

    /// How the decoder works, which makes no difference to pixels.
    struct Way: CustomStringConvertible {
        var streams = 4
        var sectionBytes = JPEGBaselineDecoder.sectionBytes
        var level = KernelLevel.current
        var hasThread = false

        var description: String {
            "\(streams) streams, \(sectionBytes) bytes, \(level), \(hasThread ? "two threads" : "one thread")"
        }

        static let all = KernelLevel.supported.flatMap { level in
            [1, 4].flatMap { streams in
                [Int(KF_JPEG_MINIMUM_SECTION), 40_000, 1 << 20].map {
                    // Threads and levels have no influence on each other.
                    Way(streams: streams, sectionBytes: $0, level: level, hasThread: level == .scalar)
                }
            }
        }
    }

    static func own(_ data: Data, _ eighths: Int = 1, _ way: Way = Way()) throws -> Outcome {
        try outcome(data, eighths) { reader, frame, image in
            guard
                var decoder = JPEGBaselineDecoder(reader, frame: frame, scale: JPEGScale(eighths: eighths))
            else { return false }
            decoder.streams = way.streams
            decoder.sectionBytes = way.sectionBytes
            decoder.hasThread = way.hasThread
            return KernelLevel.$current.withValue(way.level) { decoder.decode(to: image) }
        }
    }

    static func libjpeg(_ data: Data, _ eighths: Int = 1) throws -> Outcome {
        try outcome(data, eighths) { reader, frame, image in
            let samples = frame.components == 1 ? KF_JPEG_GRAY : KF_JPEG_RGBA
            let target = kf_jpeg_image(
                rows: image.rows, bytes_per_row: image.bytes_per_row, width: image.width,
                height: image.height, samples: samples)
            let limits = kf_jpeg_limits(memory: 1 << 28, scans: 50, accepts_part: false)
            var message = [CChar](repeating: 0, count: Int(KF_JPEG_MESSAGE_LENGTH))
            return kf_jpeg_decode(
                reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count, Int32(eighths), limits,
                target, &message) == KF_JPEG_OK
        }
    }

    private static func outcome(
        _ data: Data, _ eighths: Int, by decode: (ByteReader, JPEGFrameHeader, kf_jpeg_output) -> Bool
    ) throws -> Outcome {
        try data.reading { reader throws(ImageCodecError) in
            guard let frame = try? JPEGFrameHeader(scanning: reader), [1, 3].contains(frame.components),
                frame.size.area <= 4_000_000
            else { return .none }
            let size = JPEGScale(eighths: eighths).applied(to: frame.size)
            let bytesPerRow = size.width * (frame.components == 1 ? 1 : 4)
            var rows = [UInt8](repeating: 0, count: bytesPerRow * size.height)
            let isDecoded = rows.withUnsafeMutableBufferPointer { rows in
                guard let start = rows.baseAddress else { return false }
                let image = kf_jpeg_output(
                    rows: start, bytes_per_row: bytesPerRow, row_count: UInt32(size.height),
                    width: UInt32(size.width), height: UInt32(size.height))
                return decode(reader, frame, image)
            }
            return isDecoded ? .pixels(rows) : .none
        }
    }

    /// djpeg's image of a file of `Progressive` that is truncated after a scan. libjpeg-turbo 3.1 smooths
    /// early scans otherwise than 2.1, and has references of its own where they differ.
    static func djpeg(_ name: String) throws -> PixelBuffer {
        let isOld = JPEGCodec().version.hasPrefix("libjpeg-turbo 2.")
        let newer = isOld ? nil : try? Fixtures.data(named: "Progressive/djpeg-3/\(name).png")
        let file = try newer ?? Fixtures.data(named: "Progressive/\(name).png")
        return try PNGCodec().decode(file, minimumSize: nil)
    }

    /// Whether the codec lets `JPEGBaselineDecoder` decode a complete file if C code is optimized.
    static func isUsed(_ data: Data, _ eighths: Int) throws -> Bool {
        try data.reading { reader throws(ImageCodecError) in
            guard let frame = try? JPEGFrameHeader(scanning: reader) else { return false }
            let scale = JPEGScale(eighths: eighths)
            return JPEGBaselineDecoder.$isOptimized.withValue(true) {
                JPEGBaselineDecoder(reader, frame: frame, scale: scale)?.isFaster ?? false
            }
        }
    }

    /// The rows that the codec decodes at the scale, or its error. If `isFiltered`, the image is also shrunk
    /// to a half of that. If not `isOptimized`, libjpeg decodes it.
    static func codec(
        _ data: Data, _ eighths: Int, isFiltered: Bool, acceptsPart: Bool, isOptimized: Bool
    ) -> Result<Data, ImageCodecError> {
        JPEGBaselineDecoder.$isOptimized.withValue(isOptimized) {
            Result { () throws(ImageCodecError) -> Data in
                let codec = JPEGCodec(), full = try codec.header(of: data).size
                let size = JPEGScale(eighths: eighths).applied(to: full)
                let half = PixelSize(width: max(size.width / 2, 1), height: max(size.height / 2, 1))
                let pixels =
                    isFiltered
                    ? try codec.decode(data, shrunkTo: half, acceptsPartialImages: acceptsPart)
                    : try codec.decode(data, minimumSize: size, acceptsPartialImages: acceptsPart)
                return rows(of: pixels)
            }
        }
    }

    private static func rows(of pixels: PixelBuffer) -> Data {
        let count = pixels.width * pixels.format.bytesPerPixel
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).reduce(into: Data(capacity: count * pixels.height)) { rows, y in
                rows.append(contentsOf: bytes[y * pixels.bytesPerRow..<y * pixels.bytesPerRow + count])
            }
        }
    }

    /// An eighth of a progressive file without its AC scans.
    static func coarse(_ data: Data) throws -> (own: Outcome, libjpeg: Outcome)? {
        let file = try data.reading { reader throws(ImageCodecError) -> Data? in
            guard let frame = try? JPEGFrameHeader(scanning: reader) else { return nil }
            return JPEGCoarseFile(reader, frame: frame, maximumScans: 50)?.bytes(of: reader)
        }
        guard let file else { return nil }
        let own = try outcome(file, 1) { reader, frame, image in
            JPEGCoarseDecoder(reader, frame: frame)?.decode(to: image) ?? false
        }
        return (own, try libjpeg(file))
    }
}
