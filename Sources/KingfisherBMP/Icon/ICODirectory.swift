import Foundation
import KingfisherCodecSupport

/// The images of an icon or cursor file (Windows GDI: ICONDIR and ICONDIRENTRY).
struct ICODirectory {
    private static let headerBytes = 6
    static let entryBytes = 16
    /// A limit for untrusted files, whose images may all be corrupt.
    private static let maximumAttempts = 4

    let entries: [ICOEntry]

    init(_ reader: ByteReader) throws(ImageCodecError) {
        guard reader.count >= 4 else { throw .truncated }
        guard Self.begins(reader) else { throw .corrupt("no ICO signature") }
        guard let count = reader.uint16(at: 4, bigEndian: false) else { throw .truncated }
        guard count > 0 else { throw .corrupt("an icon without images") }
        try ImageLimits.check(frames: count)
        guard reader.count >= Self.headerBytes + count * Self.entryBytes else { throw .truncated }
        entries = (0..<count).map { index in
            ICOEntry(reader, at: Self.headerBytes + index * Self.entryBytes)
        }
    }

    /// Whether bytes begin an icon (1) or a cursor (2), as far as they go. The reserved byte of the first
    /// entry is 0 or, by some writers, 255: that tells other formats with the same first bytes apart.
    static func begins(_ reader: ByteReader) -> Bool {
        guard reader.uint16(at: 0, bigEndian: false) == 0,
            let type = reader.uint16(at: 2, bigEndian: false), type == 1 || type == 2
        else { return false }
        let count = reader.uint16(at: 4, bigEndian: false) ?? 1
        return count > 0 && [0, 255].contains(reader.uint8(at: 9) ?? 0)
    }

    /// The image that the file is shown by: the largest, and of those the one with the most bits a pixel.
    private func main(in reader: ByteReader) throws(ImageCodecError) -> ICOEntry {
        if entries.count == 1 { return entries[0] }
        let sorted = entries.sorted { ($0.size.area, $0.depth) > ($1.size.area, $1.depth) }
        if let found = try intact(sorted, in: reader) { return found }
        throw sorted.first?.fault(in: reader) ?? .corrupt("an icon without images")
    }

    /// The smallest image with the shape of the largest and at least `minimum` pixels on each side, and of
    /// those the one with the most bits a pixel; the largest if none is large enough, or without `minimum`.
    ///
    /// Corrupt images are passed over. A PNG that its metadata turn is used only if it is the largest,
    /// because its shape is another one.
    func entry(covering minimum: PixelSize?, in reader: ByteReader) throws(ImageCodecError) -> ICOEntry {
        let main = try self.main(in: reader)
        guard let minimum, try !main.isTurned(in: reader) else { return main }
        let fitting = entries.filter { entry in
            entry.size.width * main.size.height == entry.size.height * main.size.width
                && entry.size.width >= minimum.width && entry.size.height >= minimum.height
        }
        let sorted = fitting.sorted { ($0.size.area, -$0.depth) < ($1.size.area, -$1.depth) }
        guard let best = try intact(sorted, in: reader), try !best.isTurned(in: reader) else { return main }
        return best
    }

    /// The first of `candidates` that is not corrupt. Throws `truncated` if the file ends within one before
    /// it, because a part of a file must not count as its image (decision 012).
    private func intact(
        _ candidates: [ICOEntry], in reader: ByteReader
    ) throws(ImageCodecError) -> ICOEntry? {
        for entry in candidates.prefix(Self.maximumAttempts) {
            guard let fault = entry.fault(in: reader) else { return entry }
            if fault == .truncated, entry.end > reader.count { throw fault }
        }
        return nil
    }
}

/// One image of an icon: a bitmap without a file header, or a PNG.
struct ICOEntry {
    enum Content {
        case bitmap(DIBHeader)
        case png
        case unusable(ImageCodecError)
    }

    /// The stored size of the image itself, or of the directory if it is unusable.
    let size: PixelSize
    let depth: Int
    let content: Content
    private let offset: Int
    private let length: Int
    var end: Int { offset + length }

    private static let maximumTriedPixels = 1 << 20

    init(_ reader: ByteReader, at entry: Int) {
        // The fields are within the bytes, as the directory has checked.
        func side(_ offset: Int) -> Int {
            let value = reader.uint8(at: entry + offset) ?? 0
            return value == 0 ? 256 : value
        }
        length = reader.uint32(at: entry + 8, bigEndian: false) ?? 0
        offset = reader.uint32(at: entry + 12, bigEndian: false) ?? 0
        do throws(ImageCodecError) {
            content = try Self.content(Self.bytes(of: reader, at: offset, length))
        } catch {
            content = .unusable(error)
        }
        let declared = PixelSize(width: side(0), height: side(1))
        switch content {
        case .bitmap(let header): (size, depth) = (header.size, header.bitCount)
        case .png: (size, depth) = (Self.pngSize(reader, at: offset) ?? declared, 32)
        case .unusable: (size, depth) = (declared, 0)
        }
    }

    private static func content(_ image: ByteReader) throws(ImageCodecError) -> Content {
        guard image.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else {
            return .bitmap(try DIBHeader(image, at: 0, pixels: nil))
        }
        guard let size = pngSize(image, at: 0) else { throw .truncated }
        try ImageLimits.check(size)
        return .png
    }

    /// The size in IHDR (W3C PNG, 11.2.1), so that a directory of many entries is read without a copy of
    /// each.
    private static func pngSize(_ reader: ByteReader, at offset: Int) -> PixelSize? {
        guard let width = reader.uint32(at: offset + 16, bigEndian: true),
            let height = reader.uint32(at: offset + 20, bigEndian: true)
        else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// Why the image cannot be decoded; nil if it is intact. Of a PNG of more pixels than an icon has, only
    /// the structure is examined.
    func fault(in reader: ByteReader) -> ImageCodecError? {
        do throws(ImageCodecError) {
            let bytes = try bytes(of: reader)
            switch content {
            case .bitmap(let header): _ = try IconBitmap(header, in: bytes)
            case .png:
                let file = Data(bytes.bytes)
                let png = try Self.png
                _ = try png.header(of: file)
                if png.endsEarly(file) { return .truncated }
                guard size.area <= Self.maximumTriedPixels else { return nil }
                _ = try png.decode(file, minimumSize: PixelSize(width: 1, height: 1))
            case .unusable(let error): return error
            }
            return nil
        } catch {
            switch error {
            case .corrupt, .truncated, .unsupported: return error
            // A limit was reached, which does not depend on the bytes alone.
            default: return nil
            }
        }
    }

    func pngHeader(in reader: ByteReader) throws(ImageCodecError) -> ImageHeader {
        try Self.png.header(of: Data(bytes(of: reader).bytes))
    }

    func isTurned(in reader: ByteReader) throws(ImageCodecError) -> Bool {
        guard case .png = content else { return false }
        return try pngHeader(in: reader).orientation.swapsSides
    }

    /// The PNG codec of the library, also where a context has no PNG or another one for it.
    static var png: any ImageCodec {
        get throws(ImageCodecError) {
            guard let codec = CodecRegistry.builtIn.codec(for: .PNG) else { throw .unsupported("PNG") }
            return codec
        }
    }

    /// The bytes of the image. Its length may be too large, if the decoder finds all that it needs.
    func bytes(of reader: ByteReader) throws(ImageCodecError) -> ByteReader {
        try Self.bytes(of: reader, at: offset, length)
    }

    private static func bytes(
        of reader: ByteReader, at offset: Int, _ length: Int
    ) throws(ImageCodecError) -> ByteReader {
        let count = min(length, reader.count - offset)
        guard count > 0, let bytes = reader.slice(at: offset, count: count) else { throw .truncated }
        return bytes
    }
}
