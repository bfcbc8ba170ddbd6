import Foundation
import KingfisherCodecSupport

/// The images of an icon or cursor file (Windows GDI: ICONDIR and ICONDIRENTRY).
struct ICODirectory {
    private static let headerBytes = 6
    private static let entryBytes = 16
    /// A limit for untrusted files, whose images may all be corrupt.
    private static let maximumAttempts = 4

    private let file: EncodedFile
    private let entries: [ICOEntry]

    init(_ file: EncodedFile) throws(ImageCodecError) {
        self.file = file
        entries = try file.reading { reader throws(ImageCodecError) in
            guard reader.count >= 4 else { throw .truncated }
            guard Self.begins(reader) else { throw .corrupt("no ICO signature") }
            guard let count = reader.uint16(at: 4, bigEndian: false) else { throw .truncated }
            guard count > 0 else { throw .corrupt("an icon without images") }
            try reader.limits.check(frames: count)
            guard reader.count >= Self.headerBytes + count * Self.entryBytes else { throw .truncated }
            return (0..<count).map { ICOEntry(reader, at: Self.headerBytes + $0 * Self.entryBytes) }
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
    func main() throws(ImageCodecError) -> ICOImage {
        let sorted = entries.sorted { ($0.size.area, $0.depth) > ($1.size.area, $1.depth) }
        if entries.count > 1, let found = try intact(sorted) { return found }
        let largest = try ICOImage(sorted[0], in: file)
        if entries.count > 1, let fault = largest.fault { throw fault }
        return largest
    }

    /// The smallest image with the shape of `main` and at least `minimum` pixels on each side, and of those
    /// the one with the most bits a pixel; `main` if none is large enough.
    ///
    /// Corrupt images are passed over. A PNG that its metadata turn is used only if it is `main`, because its
    /// shape is another one.
    func image(
        covering minimum: PixelSize, insteadOf main: ICOImage
    ) throws(ImageCodecError) -> ICOImage {
        if main.isTurned { return main }
        let shape = main.entry.size
        let fitting = entries.filter { entry in
            entry.size.width * shape.height == entry.size.height * shape.width
                && entry.size.width >= minimum.width && entry.size.height >= minimum.height
        }
        let sorted = fitting.sorted { ($0.size.area, -$0.depth) < ($1.size.area, -$1.depth) }
        guard let best = try intact(sorted), !best.isTurned else { return main }
        return best
    }

    /// The first of `candidates` that is not corrupt. Throws `truncated` if the file ends within one before
    /// it, because a part of a file must not count as its image (decision 012).
    private func intact(_ candidates: [ICOEntry]) throws(ImageCodecError) -> ICOImage? {
        for entry in candidates.prefix(Self.maximumAttempts) {
            do throws(ImageCodecError) {
                let image = try ICOImage(entry, in: file)
                guard let fault = image.fault else { return image }
                throw fault
            } catch {
                let endsInside = entry.offset + entry.length > file.data.count
                guard error.isFault || entry.isUnusable, error != .truncated || !endsInside else {
                    throw error
                }
            }
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
    let offset: Int
    /// May be too large, if the decoder finds all that it needs.
    let length: Int
    var isUnusable: Bool { if case .unusable = content { true } else { false } }

    init(_ reader: ByteReader, at entry: Int) {
        // The fields are within the bytes, as the directory has checked.
        func side(_ offset: Int) -> Int {
            let value = reader.uint8(at: entry + offset) ?? 0
            return value == 0 ? 256 : value
        }
        length = reader.uint32(at: entry + 8, bigEndian: false) ?? 0
        offset = reader.uint32(at: entry + 12, bigEndian: false) ?? 0
        do throws(ImageCodecError) {
            let count = min(length, reader.count - offset)
            guard count > 0, let image = reader.slice(at: offset, count: count) else { throw .truncated }
            (content, size, depth) = try Self.content(image)
        } catch {
            (content, size, depth) = (.unusable(error), PixelSize(width: side(0), height: side(1)), 0)
        }
    }

    /// Of a PNG only IHDR is read (W3C PNG, 11.2.1), so that a directory of many entries is read quickly.
    private static func content(
        _ image: ByteReader
    ) throws(ImageCodecError) -> (Content, size: PixelSize, depth: Int) {
        guard image.bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) else {
            let header = try DIBHeader(image, at: 0, pixels: nil)
            return (.bitmap(header), header.size, header.bitCount)
        }
        guard let width = image.uint32(at: 16, bigEndian: true),
            let height = image.uint32(at: 20, bigEndian: true)
        else { throw .truncated }
        let size = PixelSize(width: width, height: height)
        try image.limits.check(size)
        return (.png, size, 32)
    }
}
