import CWebP
import Foundation
import Glibc
import KingfisherCodecSupport

struct WebPStream: ~Copyable {
    private(set) var header: ImageHeader?
    private var bytes = Data()
    private var walk = RIFFWalk()
    private var bitstream: RIFFChunk?
    private var profile: RIFFChunk?
    /// libwebp's decoder with memory for all rows; nil until the header was checked against the limits.
    private var decoder: OpaquePointer?
    private var colors: ICCTransform?
    private var whole: PixelBuffer?
    private var failure: ImageCodecError?

    init() {}

    deinit {
        WebPIDelete(decoder)
    }

    var isFinished: Bool { whole != nil }

    var decodedRows: Int {
        if let header, isFinished { return header.size.height }
        var rows: Int32 = 0
        return WebPIDecGetRGB(decoder, &rows, nil, nil, nil) == nil ? 0 : Int(rows)
    }

    mutating func append(_ data: Data) throws(ImageCodecError) {
        if let failure { throw failure }
        if isFinished { return }
        do {
            bytes.append(data)
            try advance()
        } catch {
            failure = error
            WebPIDelete(decoder)
            decoder = nil
            throw error
        }
    }

    private mutating func advance() throws(ImageCodecError) {
        guard bytes.count > 8 else { return }
        let isWhole = try bytes.reading { reader throws(ImageCodecError) in
            guard WebPSignature.begins(reader.bytes) else { throw .corrupt("no WebP signature") }
            return reader.uint32(at: 4, bigEndian: false).map { reader.count >= 8 + $0 } ?? false
        }
        if bitstream == nil { try findBitstream() }
        if header == nil, bitstream != nil { try findHeader() }
        if isWhole { return try finish() }
        let status = update()
        guard status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED else {
            throw WebPBitstream.error(status)
        }
    }

    /// Passes all bytes to libwebp, which copies none and continues where it stopped.
    private func update() -> VP8StatusCode {
        guard let decoder, let bitstream else { return VP8_STATUS_SUSPENDED }
        return bytes.withUnsafeBytes { bytes in
            // Only up to the end of the bitstream, because libwebp would read beyond a truncated one.
            WebPIUpdate(
                decoder, bytes.bindMemory(to: UInt8.self).baseAddress, min(bitstream.end, bytes.count))
        }
    }

    private mutating func findBitstream() throws(ImageCodecError) {
        let bytes = bytes
        try bytes.reading { reader throws(ImageCodecError) in
            let extended = reader.has("VP8X", at: 12)
            let flags = extended ? reader.uint8(at: 20) ?? 0 : 0
            guard flags & Int(ANIMATION_FLAG.rawValue) == 0 else {
                throw .unsupported("decoding an animation while it arrives")
            }
            while bitstream == nil, let chunk = try walk.next(in: reader) {
                let isImage = chunk.name == .VP8 || chunk.name == .VP8L
                guard extended || isImage, chunk.end <= 8 + (reader.uint32(at: 4, bigEndian: false) ?? 0)
                else { throw .corrupt("a corrupt WebP container") }
                if isImage { bitstream = chunk }
                if chunk.name == .ICCP, profile == nil, flags & Int(ICCP_FLAG.rawValue) != 0 {
                    profile = chunk
                }
            }
        }
    }

    private mutating func findHeader() throws(ImageCodecError) {
        let header = try bytes.reading { reader throws(ImageCodecError) in try ImageHeader(startOf: reader) }
        guard let header else { return }
        guard let decoder = WebPINewRGB(MODE_RGBA, nil, 0, 0) else {
            throw .outOfMemory
        }
        self.decoder = decoder
        self.header = header
        // The profile precedes the bitstream, so it is complete.
        colors = try bytes.reading { profile?.colors(in: $0) }
    }

    /// Decodes the complete file as `WebPCodec` does, because libwebp's incremental decoder accepts corrupt
    /// bitstreams that the other one rejects.
    private mutating func finish() throws(ImageCodecError) {
        let file = try WebPDecoder(EncodedFile(bytes))
        header = file.header
        whole = try file.decode(.full)
        bytes = Data()
        WebPIDelete(decoder)
        decoder = nil
    }

    func image() throws(ImageCodecError) -> PixelBuffer? {
        if let failure { throw failure }
        if let whole { return whole }
        guard let header else { return nil }
        return try PixelBuffer.decoding(header.size, format: .rgba8Straight, zeroed: true) {
            rows, bytesPerRow in
            var (count, stride): (Int32, Int32) = (0, 0)
            guard let decoded = WebPIDecGetRGB(decoder, &count, nil, nil, &stride) else { return }
            let part = PixelSize(width: header.size.width, height: Int(count))
            for y in 0..<part.height {
                memcpy(rows + y * bytesPerRow, decoded + y * Int(stride), part.width * 4)
            }
            if !header.hasAlpha { WebPBitstream.makeOpaque(rows, bytesPerRow: bytesPerRow, size: part) }
            colors?.convert(rows, bytesPerRow: bytesPerRow, size: part)
        }
    }
}
