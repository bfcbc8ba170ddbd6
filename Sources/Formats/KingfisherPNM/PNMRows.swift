import Glibc
import KingfisherCodecSupport

/// Reads the rows of a PNM file in order, as pixels of the header's format.
struct PNMRows {
    private let header: PNMHeader
    private let reader: ByteReader
    /// The samples of the image by the samples of the file; empty where both are equal.
    private let levels: [UInt16]
    /// Numbers of a raster of text.
    private var numbers: PNMNumbers
    private let acceptsPart: Bool

    init(_ header: PNMHeader, in reader: ByteReader, acceptsPart: Bool) {
        self.header = header
        self.reader = reader
        self.acceptsPart = acceptsPart
        numbers = PNMNumbers(reader, at: header.start)
        let white = header.format.depth == .sixteen ? 65_535 : 255
        let maximum = header.maximum
        // The nearest level, as Netpbm's pamdepth computes it.
        levels =
            maximum == white
            ? [] : (0...maximum).map { UInt16(truncatingIfNeeded: ($0 * white + maximum / 2) / maximum) }
    }

    mutating func read(
        _ wanted: Range<Int>, into rows: UnsafeMutableRawPointer, _ bytesPerRow: Int
    ) throws(ImageCodecError) {
        for (index, y) in wanted.enumerated() {
            let row = rows + index * bytesPerRow
            switch header.raster {
            case .text(let isBits): try readText(isBits: isBits, into: row)
            case .bits, .samples:
                let offset = header.start + y * header.rowBytes
                if let stored = reader.slice(at: offset, count: header.rowBytes)?.bytes.baseAddress {
                    try read(stored, into: row)
                } else {
                    guard acceptsPart else { throw .truncated }
                    clear(row)
                }
            }
        }
    }

    private func read(_ stored: UnsafeRawPointer, into row: UnsafeMutableRawPointer) throws(ImageCodecError) {
        switch (header.raster, header.format.depth) {
        case (.bits, _):
            for x in 0..<header.size.width {
                let byte = stored.load(fromByteOffset: x / 8, as: UInt8.self)
                // A set bit is black.
                let white: UInt8 = byte &>> UInt8(7 - x % 8) & 1 == 0 ? 255 : 0
                row.storeBytes(of: white, toByteOffset: x, as: UInt8.self)
            }
        case (_, .eight) where levels.isEmpty && header.channels != 3:
            memcpy(row, stored, header.rowBytes)
        case (_, .eight): try readSamples(stored, bytes: 1, into: row.assumingMemoryBound(to: UInt8.self))
        case (_, .sixteen): try readSamples(stored, bytes: 2, into: row.assumingMemoryBound(to: UInt16.self))
        }
    }

    private func readSamples<Sample: FixedWidthInteger & UnsignedInteger>(
        _ stored: UnsafeRawPointer, bytes: Int, into row: UnsafeMutablePointer<Sample>
    ) throws(ImageCodecError) {
        let expands = header.channels == 3
        var to = 0
        for index in 0..<header.size.width &* header.channels {
            let value = Int(Sample(bigEndian: (stored + index &* bytes).loadUnaligned(as: Sample.self)))
            if levels.isEmpty {
                row[to] = Sample(truncatingIfNeeded: value)
            } else {
                guard value <= header.maximum else { throw Self.tooLarge }
                row[to] = Sample(truncatingIfNeeded: levels[value])
            }
            to &+= 1
            if expands, index % 3 == 2 {
                row[to] = .max
                to &+= 1
            }
        }
    }

    private mutating func readText(isBits: Bool, into row: UnsafeMutableRawPointer) throws(ImageCodecError) {
        let (expands, isWide) = (header.channels == 3, header.format.depth == .sixteen)
        var to = 0
        func store(_ level: Int) {
            if isWide {
                row.storeBytes(of: UInt16(truncatingIfNeeded: level), toByteOffset: to * 2, as: UInt16.self)
            } else {
                row.storeBytes(of: UInt8(truncatingIfNeeded: level), toByteOffset: to, as: UInt8.self)
            }
            to += 1
        }
        for index in 0..<header.size.width * header.channels {
            if isBits {
                store(try numbers.nextBit() == 0 ? 255 : 0)
            } else {
                let value = try numbers.next(mayBeLast: true)
                guard value <= header.maximum else { throw Self.tooLarge }
                store(levels.isEmpty ? value : Int(levels[value]))
            }
            if expands, index % 3 == 2 { store(isWide ? 65_535 : 255) }
        }
    }

    private static let tooLarge = ImageCodecError.corrupt("a sample above the maximum")

    /// A row that the file does not have is transparent, or black in an opaque image.
    private func clear(_ row: UnsafeMutableRawPointer) {
        let pixel = header.format.bytesPerPixel
        memset(row, 0, header.size.width * pixel)
        guard header.channels == 3 else { return }
        let bytes = header.bytesPerSample
        for x in 0..<header.size.width { memset(row + x * pixel + pixel - bytes, 255, bytes) }
    }
}
