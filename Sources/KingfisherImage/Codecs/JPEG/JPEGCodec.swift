import CJPEG
package import Foundation

/// JPEG through libjpeg-turbo: baseline and progressive, grey, colour and CMYK, upright by EXIF.
///
/// Decodes at n/8 of the file's size where that is enough. Grey stays grey; CMYK becomes RGB by the plain
/// product of inks, without a profile. A file that ends before its end-of-image marker is `truncated`.
package struct JPEGCodec: ImageCodec {
    /// Scans that a progressive file of `size` may have; encoders write about ten, a bomb thousands.
    ///
    /// Each scan visits every block, so the limit falls with the area: 500 up to 10 megapixels, 50 at 100.
    /// 490 scans of 100 megapixels in 275 KB took 8.7 seconds of libjpeg.
    static func maximumScans(of size: PixelSize) -> Int {
        min(max(5_000_000_000 / max(size.area, 1), 50), 500)
    }

    package init() {}

    package var format: ImageFormat { .JPEG }
    package var fileExtensions: [String] { ["jpg", "jpeg", "jpe"] }
    package var keepsFileBytes: Bool { false }

    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: [0xFF, 0xD8, 0xFF])
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
                memory: ImageLimits.maximumFrameBytes, scans: Int32(Self.maximumScans(of: frame.size)))
            try JPEGStatus.check { message in
                kf_jpeg_decode(
                    reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count,
                    Int32(scale.eighths), limits, picture, message)
            }
        }
    }
}
