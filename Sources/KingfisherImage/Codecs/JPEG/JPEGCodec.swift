import CJPEG
package import Foundation

/// JPEG through libjpeg-turbo: baseline and progressive, grey, colour and CMYK, upright by EXIF.
///
/// Decodes at n/8 of the file's size where that is enough. Grey stays grey; CMYK becomes RGB by the plain
/// product of inks, without a profile. A file that ends before its end-of-image marker is `truncated`.
package struct JPEGCodec: ImageCodec {
    /// Scans of a progressive file; encoders write about ten, a bomb thousands.
    static let maximumScans = 500

    package init() {}

    package var format: ImageFormat { .JPEG }

    package func matches(_ prefix: UnsafeRawBufferPointer) -> Bool {
        prefix.starts(with: [0xFF, 0xD8, 0xFF])
    }

    package func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        let frame = try data.reading(JPEGFrameHeader.init(scanning:))
        try ImageLimits.check(frame.size)
        var header = ImageHeader(size: frame.size)
        header.orientation = frame.orientation
        header.bitsPerComponent = frame.precision
        return header
    }

    package func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        try data.reading { reader throws(ImageCodecError) in
            let frame = try JPEGFrameHeader(scanning: reader)
            try ImageLimits.check(frame.size)
            try frame.checkSupport()
            let stored = frame.orientation.swapsSides ? minimumSize?.swapped : minimumSize
            let scale = JPEGScale(atLeast: stored, of: frame.size)
            let pixels = try read(reader, frame: frame, scale: scale)
            return try pixels.upright(from: frame.orientation)
        }
    }

    private func read(
        _ reader: ByteReader, frame: JPEGFrameHeader, scale: JPEGScale
    ) throws(ImageCodecError) -> PixelBuffer {
        let size = scale.applied(to: frame.size)
        let format: PixelFormat = frame.components == 1 ? .gray8 : .rgba8Opaque
        return try PixelBuffer.decoding(size, format: format) { rows, bytesPerRow throws(ImageCodecError) in
            let picture = kf_jpeg_picture(
                rows: rows.assumingMemoryBound(to: UInt8.self), bytes_per_row: bytesPerRow,
                width: UInt32(size.width), height: UInt32(size.height),
                channels: Int32(format.layout.channels))
            let limits = kf_jpeg_limits(
                memory: ImageLimits.maximumFrameBytes, scans: Int32(Self.maximumScans))
            try JPEGMessage.check { message in
                kf_jpeg_decode(
                    reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count,
                    Int32(scale.eighths), limits, picture, message)
            }
        }
    }
}

/// The fraction n/8 at which libjpeg can decode without ever making the full-size pixels.
struct JPEGScale: Hashable {
    let eighths: Int

    /// libjpeg has all of 1...8, but vector code for these only: 12 megapixels take 16, 19, 20 and 28 ms, and
    /// 24, 36, 42 and 54 ms at 3, 5, 6 and 7 eighths, which saves the following filter less than that.
    static let fast = [1, 2, 4, 8]

    /// The smallest fast scale at which neither side of `size` falls below `minimum`; 8/8 without a minimum.
    init(atLeast minimum: PixelSize?, of size: PixelSize) {
        let fitting = minimum.flatMap { minimum in
            Self.fast.first {
                Self.scaled(size.width, $0) >= minimum.width && Self.scaled(size.height, $0) >= minimum.height
            }
        }
        eighths = fitting ?? 8
    }

    func applied(to size: PixelSize) -> PixelSize {
        PixelSize(width: Self.scaled(size.width, eighths), height: Self.scaled(size.height, eighths))
    }

    /// libjpeg rounds up.
    private static func scaled(_ side: Int, _ eighths: Int) -> Int {
        (side * eighths + 7) / 8
    }
}

/// Turns the shim's status and message into our error.
enum JPEGMessage {
    static func check(
        _ call: (UnsafeMutablePointer<CChar>?) -> kf_jpeg_status
    ) throws(ImageCodecError) {
        var message = [CChar](repeating: 0, count: Int(KF_JPEG_MESSAGE_LENGTH))
        let status = message.withUnsafeMutableBufferPointer { call($0.baseAddress) }
        let text = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        switch status {
        case KF_JPEG_OK: return
        case KF_JPEG_TRUNCATED: throw .truncated
        case KF_JPEG_UNSUPPORTED: throw .unsupported(text)
        case KF_JPEG_SIZE_MISMATCH: throw .corrupt("two sizes in one JPEG")
        case KF_JPEG_TOO_MANY_SCANS: throw .corrupt("more than \(JPEGCodec.maximumScans) scans")
        case KF_JPEG_OUT_OF_MEMORY: throw .unsupported("a JPEG that needs more memory than the limit")
        default: throw .corrupt(text)
        }
    }
}
