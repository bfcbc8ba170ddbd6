import CWebP
public import Foundation
public import Kingfisher

/// WebP through libwebp (container and bitstreams: RFC 9649).
public struct WebPCodec: ImageCodec {
    public init() {}

    public var format: ImageFormat { .webP }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= 12 && bytes.starts(with: Array("RIFF".utf8))
            && bytes[8..<12].elementsEqual("WEBP".utf8)
    }

    public func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        try data.reading { reader throws(ImageCodecError) in
            var features = WebPBitstreamFeatures()
            let bytes = reader.bytes.bindMemory(to: UInt8.self).baseAddress
            guard WebPGetFeatures(bytes, reader.count, &features) == VP8_STATUS_OK else {
                throw .corrupt("no WebP header")
            }
            var header = ImageHeader(
                size: PixelSize(width: Int(features.width), height: Int(features.height)))
            try ImageLimits.check(header.size)
            header.hasAlpha = features.has_alpha != 0
            return header
        }
    }

    public func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        let header = try header(of: data)
        return try data.reading { reader throws(ImageCodecError) in
            try PixelBuffer.decoding(header.size, format: header.hasAlpha ? .rgba8Straight : .rgba8Opaque) {
                rows, bytesPerRow throws(ImageCodecError) in
                let decoded = WebPDecodeRGBAInto(
                    reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count,
                    rows.assumingMemoryBound(to: UInt8.self), bytesPerRow * header.size.height,
                    Int32(bytesPerRow))
                if decoded == nil { throw .corrupt("a damaged WebP") }
            }
        }
    }
}

extension ImageCodec where Self == WebPCodec {
    /// Reads and writes WebP: `ImageCodecs.register(.webP)`.
    public static var webP: WebPCodec { WebPCodec() }
}
