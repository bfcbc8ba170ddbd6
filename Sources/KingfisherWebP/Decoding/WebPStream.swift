import CWebP
import Foundation
import Glibc
import Kingfisher

/// A file that grows, and libwebp's incremental decoder over it.
struct WebPStream: ~Copyable {
    private(set) var header: ImageHeader?
    private var bytes = Data()
    /// libwebp's decoder with memory for all rows; there is none before the header was found within the limits.
    private var decoder: OpaquePointer?
    private var colors: ICCTransform?
    private var hasLookedForProfile = false
    /// The picture, once the file is whole.
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
        if header == nil { try findHeader() }
        if isWhole { return try finish() }
        let status = update()
        guard status == VP8_STATUS_OK || status == VP8_STATUS_SUSPENDED else {
            throw WebPBitstream.error(status, size: header?.size ?? PixelSize(width: 0, height: 0))
        }
        if !hasLookedForProfile, decodedRows > 0 {
            // It stands before the bitstream, so that it has come by now.
            hasLookedForProfile = true
            colors = bytes.withUnsafeBytes { Self.colors(inPart: ByteReader($0)) }
        }
    }

    /// Lends all bytes to libwebp, which keeps none and goes on where it stopped.
    private func update() -> VP8StatusCode {
        guard let decoder else { return VP8_STATUS_SUSPENDED }
        return bytes.withUnsafeBytes { bytes in
            // Nothing behind the bitstream: libwebp would read on there where a damaged one ends too early.
            let end = WebPBitstream.end(inPart: ByteReader(bytes)) ?? bytes.count
            return WebPIUpdate(
                decoder, bytes.bindMemory(to: UInt8.self).baseAddress, min(end, bytes.count))
        }
    }

    private mutating func findHeader() throws(ImageCodecError) {
        var features = WebPBitstreamFeatures()
        let status = bytes.withUnsafeBytes { bytes in
            WebPGetFeatures(bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, &features)
        }
        if status == VP8_STATUS_NOT_ENOUGH_DATA { return }
        guard status == VP8_STATUS_OK else { throw .corrupt("a damaged WebP container") }
        guard features.has_animation == 0 else {
            throw .unsupported("decoding an animation while it arrives")
        }
        var header = ImageHeader(
            size: PixelSize(width: Int(features.width), height: Int(features.height)))
        header.hasAlpha = features.has_alpha != 0
        try ImageLimits.check(header.size, format: .rgba8Straight)
        guard let decoder = WebPINewRGB(MODE_RGBA, nil, 0, 0) else {
            throw .tooLarge(width: header.size.width, height: header.size.height)
        }
        self.decoder = decoder
        self.header = header
    }

    private static func colors(inPart reader: ByteReader) -> ICCTransform? {
        var data = WebPData(
            bytes: reader.bytes.bindMemory(to: UInt8.self).baseAddress, size: reader.count)
        guard let demuxer = WebPDemuxPartial(&data, nil) else { return nil }
        defer { WebPDemuxDelete(demuxer) }
        let profile = WebPChunk("ICCP", of: demuxer, in: reader)?.reader(in: reader)
        return profile.flatMap(ICCTransform.toSRGB(from:))
    }

    /// Decodes the whole file as `WebPCodec` does: libwebp's incremental decoder takes damaged bitstreams that its
    /// other one refuses.
    private mutating func finish() throws(ImageCodecError) {
        header = try WebPCodec().header(of: bytes)
        whole = try WebPCodec().decode(bytes, minimumSize: nil)
        bytes = Data()
        WebPIDelete(decoder)
        decoder = nil
    }

    func picture() throws(ImageCodecError) -> PixelBuffer? {
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
            colors?.convert(rows, bytesPerRow: bytesPerRow, size: part)
        }
    }
}
