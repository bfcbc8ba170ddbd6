package import KingfisherCodecSupport

/// A box of ISO/IEC 14496-12, 4.2, in untrusted bytes; the container of AVIF, HEIC and CR3.
package struct ISOBox: Sendable {
    package let offset: Int
    package let headerLength: Int
    package let length: Int
    package let reader: ByteReader

    /// The box at `offset`; nil if its header is malformed. It may end after the bytes.
    package init?(at offset: Int, in reader: ByteReader) {
        guard let short = reader.uint32(at: offset, bigEndian: true), offset <= reader.count - 8 else {
            return nil
        }
        self.offset = offset
        self.reader = reader
        switch short {
        case 0: (headerLength, length) = (8, reader.count - offset)
        case 1:
            guard let long = reader.uint64(at: offset + 8), long >= 16 else { return nil }
            (headerLength, length) = (16, long)
        case 8...: (headerLength, length) = (8, short)
        default: return nil
        }
    }

    package func has(_ type: StaticString) -> Bool { reader.has(type, at: offset + 4) }

    package var end: Int? {
        let (end, overflow) = offset.addingReportingOverflow(length)
        return overflow ? nil : end
    }

    /// The bytes after the header; nil if the box is truncated.
    package var content: ByteReader? { reader.slice(at: offset + headerLength, count: length - headerLength) }

    /// The most boxes of a type that are read.
    package static let maximumBoxes = 4_096

    /// Whether a box at the top level ends after the bytes, or the one with the samples is missing.
    package static func isTruncated(_ reader: ByteReader) -> Bool {
        var (hasSamples, end) = (false, 0)
        reader.eachBox { box in
            end = box.end ?? .max
            hasSamples = hasSamples || box.has("mdat")
            return end <= reader.count
        }
        // A rest of fewer than eight bytes is the start of another box.
        return end != reader.count || !hasSamples
    }
}

extension ByteReader {
    /// Eight bytes as a number; nil above `Int.max`.
    package func uint64(at offset: Int) -> Int? {
        guard let high = uint32(at: offset, bigEndian: true),
            let low = uint32(at: offset + 4, bigEndian: true), high <= Int(Int32.max)
        else { return nil }
        return high << 32 | low
    }

    /// The boxes from `offset` on, as many as `body` wants. A truncated one is the last.
    package func eachBox(from offset: Int = 0, _ body: (ISOBox) -> Bool) {
        var offset = offset
        while let box = ISOBox(at: offset, in: self), body(box), let end = box.end, end < count {
            offset = end
        }
    }

    package func boxes(_ type: StaticString, from offset: Int = 0) -> [ByteReader] {
        var found: [ByteReader] = []
        eachBox(from: offset) { box in
            if box.has(type), let content = box.content { found.append(content) }
            return found.count < ISOBox.maximumBoxes
        }
        return found
    }

    package func box(_ type: StaticString, from offset: Int = 0) -> ByteReader? {
        boxes(type, from: offset).first
    }
}

/// The brands of a file (`ftyp`: ISO/IEC 14496-12, 4.3).
package struct ISOBrands {
    private let reader: ByteReader
    private let end: Int

    /// Nil if the bytes do not begin with the box. Reads its first kilobyte.
    package init?(_ reader: ByteReader) {
        guard reader.has("ftyp", at: 4), let length = reader.uint32(at: 0, bigEndian: true) else {
            return nil
        }
        self.reader = reader
        end = min(length, reader.count, 1_024)
    }

    /// Whether the main brand or a compatible one is among `brands`.
    package func contains(_ brands: StaticString...) -> Bool {
        func isBrand(_ offset: Int) -> Bool { brands.contains { reader.has($0, at: offset) } }
        return isBrand(8) || stride(from: 16, through: end - 4, by: 4).contains(where: isBrand)
    }
}
