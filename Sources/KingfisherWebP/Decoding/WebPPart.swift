import CWebP
import Foundation
import KingfisherCodecSupport

/// The available part of a truncated WebP file.
///
/// For an animation, it is a complete file with the complete frames, at least one. For a still, it is the
/// decoded rows, without the orientation, which would follow them.
enum WebPPart {
    case animation(Data)
    case still(WebPPartialStill)

    /// Nil for a complete file; throws `truncated` without a complete frame or bitstream header.
    init?(_ reader: ByteReader) throws(ImageCodecError) {
        guard WebPSignature.begins(reader.bytes), Self.endsEarly(reader) else { return nil }
        let flags = reader.has("VP8X", at: 12) ? reader.uint8(at: 20) ?? 0 : 0
        if flags & Int(ANIMATION_FLAG.rawValue) != 0 {
            self = .animation(try Self.frames(of: reader))
        } else {
            self = .still(try WebPPartialStill(reader, flags: flags))
        }
    }

    static func endsEarly(_ reader: ByteReader) -> Bool {
        reader.uint32(at: 4, bigEndian: false).map { 8 + $0 > reader.count } ?? true
    }

    private static func frames(of reader: ByteReader) throws(ImageCodecError) -> Data {
        var (offset, end, chunks) = (12, 0, 0)
        while let length = reader.uint32(at: offset + 4, bigEndian: false) {
            let next = offset + 8 + length + length % 2
            guard next <= reader.count else { break }
            if reader.has("ANMF", at: offset) { end = next }
            offset = next
            chunks += 1
            guard chunks <= ImageLimits.maximumFrames + RIFFWalk.maximumOtherChunks else { break }
        }
        guard end > 0 else { throw .truncated }
        var file = Data(reader.bytes[..<end])
        withUnsafeBytes(of: UInt32(end - 8).littleEndian) { file.replaceSubrange(4..<8, with: $0) }
        return file
    }
}

struct WebPPartialStill {
    let header: ImageHeader
    private let profile: RIFFChunk?

    init(_ reader: ByteReader, flags: Int) throws(ImageCodecError) {
        var walk = RIFFWalk()
        var profile: RIFFChunk?
        while let chunk = try walk.next(in: reader), chunk.name != .VP8, chunk.name != .VP8L {
            let isMeant = flags & Int(ICCP_FLAG.rawValue) != 0
            if chunk.name == .ICCP, isMeant, profile == nil { profile = chunk }
        }
        self.profile = profile
        var features = WebPBitstreamFeatures()
        let status = WebPGetFeatures(
            reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count, &features)
        guard status != VP8_STATUS_NOT_ENOUGH_DATA else { throw .truncated }
        guard status == VP8_STATUS_OK else { throw .corrupt("a corrupt WebP container") }
        var header = ImageHeader(size: PixelSize(width: Int(features.width), height: Int(features.height)))
        header.hasAlpha = features.has_alpha != 0
        // 2 means a VP8L chunk, 1 VP8.
        header.isLossless = features.format == 2
        try ImageLimits.check(header.size, format: .rgba8Straight)
        self.header = header
    }

    func decode(_ reader: ByteReader) throws(ImageCodecError) -> DecodedPixels {
        let pixels = try PixelBuffer.decoding(header.size, format: .rgba8Straight, zeroed: true) {
            rows, bytesPerRow throws(ImageCodecError) in
            let decoder = WebPINewRGB(
                MODE_RGBA, rows.assumingMemoryBound(to: UInt8.self), bytesPerRow * header.size.height,
                Int32(bytesPerRow))
            guard let decoder else { throw .outOfMemory }
            defer { WebPIDelete(decoder) }
            let status = WebPIUpdate(
                decoder, reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count)
            guard status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED else {
                throw WebPBitstream.error(status)
            }
            var found: Int32 = 0
            guard WebPIDecGetRGB(decoder, &found, nil, nil, nil) != nil, found > 0 else { throw .truncated }
            if !header.hasAlpha {
                let size = PixelSize(width: header.size.width, height: Int(found))
                WebPBitstream.makeOpaque(rows, bytesPerRow: bytesPerRow, size: size)
            }
        }
        let colors = profile.flatMap { reader.slice(at: $0.data, count: $0.length) }
            .flatMap { ICCTransform.toSRGB(from: $0) }
        return DecodedPixels(pixels, colors: colors)
    }
}
