import CRSVG
import CZlib
import Foundation
import KingfisherCodecSupport

/// The text of a file, decompressed, with the size of its root element.
struct SVGFile {
    /// The part in which the root element must begin, after comments and declarations.
    private static let prologBytes = 1 << 20
    private static let gzip: [UInt8] = [0x1F, 0x8B, 8]

    private let text: Data
    private let limits: ImageLimits
    let size: SVGSize

    init(_ file: EncodedFile) throws(ImageCodecError) {
        limits = file.limits
        text = file.data.starts(with: Self.gzip) ? try Self.decompressed(file.data) : file.data
        guard text.count <= SVGCodec.maximumBytes else { throw .tooMuchMemory }
        size = try text.reading { reader throws(ImageCodecError) in
            switch SVGRoot.find(in: reader.bytes.prefix(Self.prologBytes)) {
            case .root(let root): return SVGSize(root)
            case .incomplete where reader.count <= Self.prologBytes: throw .truncated
            case .incomplete, .none: throw .corrupt("no element svg")
            }
        }
    }

    static func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        if bytes.starts(with: gzip) { return matchesCompressed(bytes) }
        guard case .root = SVGRoot.find(in: bytes.prefix(prologBytes)) else { return false }
        return true
    }

    private static func matchesCompressed(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        let start = Data(bytesNoCopy: .init(mutating: base), count: bytes.count, deallocator: .none)
        guard let text = decompressed(start, upTo: prologBytes) else { return false }
        return text.withUnsafeBytes { bytes in
            guard case .root = SVGRoot.find(in: bytes[...]) else { return false }
            return true
        }
    }

    private static func decompressed(_ data: Data) throws(ImageCodecError) -> Data {
        guard let text = decompressed(data, upTo: SVGCodec.maximumBytes + 1) else {
            throw .corrupt("invalid gzip data")
        }
        return text
    }

    /// Stops after `limit` bytes, or where the data end. Nil for invalid data.
    private static func decompressed(_ data: Data, upTo limit: Int) -> Data? {
        var stream = z_stream()
        // 16: the header and trailer of gzip.
        let format = 16 + MAX_WBITS
        guard
            inflateInit2_(&stream, format, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { inflateEnd(&stream) }
        var text = Data()
        var piece = [UInt8](repeating: 0, count: 64 << 10)
        return data.withUnsafeBytes { input in
            stream.next_in = UnsafeMutablePointer(
                mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(clamping: input.count)
            while text.count < limit {
                let status = piece.withUnsafeMutableBufferPointer { output in
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    return inflate(&stream, Z_NO_FLUSH)
                }
                text.append(contentsOf: piece.prefix(piece.count - Int(stream.avail_out)))
                if status == Z_STREAM_END || status == Z_BUF_ERROR { break }
                guard status == Z_OK else { return nil }
            }
            return text.prefix(limit)
        }
    }

    func rendered(to target: PixelSize) throws(ImageCodecError) -> PixelBuffer {
        let longest = Int(KF_SVG_LONGEST_SIDE)
        guard target.width <= longest, target.height <= longest else {
            throw .tooLarge(width: target.width, height: target.height)
        }
        try limits.check(target, format: .rgba8Premultiplied)
        return try PixelBuffer.decoding(target, format: .rgba8Premultiplied, zeroed: true) {
            rows, bytesPerRow throws(ImageCodecError) in
            let target = kf_svg_target(
                rows: rows.assumingMemoryBound(to: UInt8.self), bytes_per_row: bytesPerRow,
                width: Int32(target.width), height: Int32(target.height),
                document_width: size.width, document_height: size.height)
            try render(to: target)
        }
    }

    private func render(to target: kf_svg_target) throws(ImageCodecError) {
        var target = target
        try text.reading { reader throws(ImageCodecError) in
            guard let file = reader.bytes.bindMemory(to: UInt8.self).baseAddress else { throw .truncated }
            var message = [CChar](repeating: 0, count: 512)
            let result = kf_svg_render(file, reader.count, &target, &message, message.count)
            // libxml2 ends its messages with a line break.
            let line = message.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: "\n")) }
            let reason = String(decoding: line.map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
            switch result {
            case kf_svg_success: break
            case kf_svg_out_of_memory: throw .outOfMemory
            case kf_svg_missing_library: throw .unsupported("SVG without \(reason)")
            default: throw .corrupt(reason)
            }
        }
    }
}
