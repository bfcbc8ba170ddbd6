import CWebP
import Foundation
import KingfisherCodecSupport

/// The available part of a truncated WebP file.
enum WebPPart {
    /// A decoder of the complete frames of an animation, at least one, or of the rows of a still; nil for a
    /// complete file. Throws `truncated` without a complete frame or bitstream header.
    static func open(_ file: EncodedFile) throws(ImageCodecError) -> (any ImageDecoder)? {
        try file.reading { reader throws(ImageCodecError) in
            guard WebPSignature.begins(reader.bytes),
                reader.uint32(at: 4, bigEndian: false).map({ 8 + $0 > reader.count }) ?? true
            else { return nil }
            let flags = reader.has("VP8X", at: 12) ? reader.uint8(at: 20) ?? 0 : 0
            guard flags & Int(ANIMATION_FLAG.rawValue) != 0 else {
                return try WebPPartialStill(file, flags: flags)
            }
            return try WebPDecoder(file.with(frames(of: reader)), endsEarly: true)
        }
    }

    /// A complete file with the complete frames.
    private static func frames(of reader: ByteReader) throws(ImageCodecError) -> Data {
        var (offset, end, chunks) = (12, 0, 0)
        while let length = reader.uint32(at: offset + 4, bigEndian: false) {
            let next = offset + 8 + length + length % 2
            guard next <= reader.count else { break }
            if reader.has("ANMF", at: offset) { end = next }
            offset = next
            chunks += 1
            guard chunks <= reader.limits.maximumFrames + RIFFWalk.maximumOtherChunks else { break }
        }
        guard end > 0 else { throw .truncated }
        var file = Data(reader.bytes[..<end])
        withUnsafeBytes(of: UInt32(end - 8).littleEndian) { file.replaceSubrange(4..<8, with: $0) }
        return file
    }
}

/// The decoded rows of a truncated still, without the orientation, which would follow them.
struct WebPPartialStill: ImageDecoder {
    let header: ImageHeader
    private let file: EncodedFile
    private let profile: RIFFChunk?

    init(_ file: EncodedFile, flags: Int) throws(ImageCodecError) {
        self.file = file
        (profile, header) = try file.reading { reader throws(ImageCodecError) in
            var walk = RIFFWalk()
            var profile: RIFFChunk?
            while let chunk = try walk.next(in: reader), chunk.name != .VP8, chunk.name != .VP8L {
                let isMeant = flags & Int(ICCP_FLAG.rawValue) != 0
                if chunk.name == .ICCP, isMeant, profile == nil { profile = chunk }
            }
            guard let header = try ImageHeader(startOf: reader) else { throw .truncated }
            return (profile, header)
        }
    }

    var endsEarly: Bool { true }

    func memory(for target: DecodingTarget) -> Int { header.memoryOfWebP(for: target) }

    func decode(_ target: DecodingTarget) throws(ImageCodecError) -> PixelBuffer {
        try file.reading { reader throws(ImageCodecError) in
            DecodedPixels(try rows(of: reader), colors: profile?.colors(in: reader))
        }
        .resized(to: target).finished()
    }

    private func rows(of reader: ByteReader) throws(ImageCodecError) -> PixelBuffer {
        try PixelBuffer.decoding(header.size, format: .rgba8Straight, zeroed: true) {
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
    }

    func metadata() throws(ImageCodecError) -> ImageMetadataBlocks {
        try file.reading(RIFFWalk.metadata(in:))
    }
}

extension ImageHeader {
    /// The header of a still from the start of its file; nil if its bitstream has not begun.
    init?(startOf reader: ByteReader) throws(ImageCodecError) {
        var features = WebPBitstreamFeatures()
        let status = WebPGetFeatures(
            reader.bytes.bindMemory(to: UInt8.self).baseAddress, reader.count, &features)
        if status == VP8_STATUS_NOT_ENOUGH_DATA { return nil }
        guard status == VP8_STATUS_OK else { throw .corrupt("a corrupt WebP container") }
        self.init(size: PixelSize(width: Int(features.width), height: Int(features.height)))
        hasAlpha = features.has_alpha != 0
        // 2 means a VP8L chunk, 1 VP8.
        isLossless = features.format == 2
        try reader.limits.check(size, format: .rgba8Straight)
    }
}

extension RIFFChunk {
    /// The conversion from a profile to sRGB; nil if none is needed or possible.
    func colors(in reader: ByteReader) -> ICCTransform? {
        reader.slice(at: data, count: length).flatMap { ICCTransform.toSRGB(from: $0) }
    }
}
