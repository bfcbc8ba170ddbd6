import KingfisherCodecSupport

/// The boxes of a container (ISO/IEC 18181-2), in untrusted bytes.
enum JPEGXLBoxes {
    /// A file with more boxes is read up to here.
    private static let maximumBoxes = 1 << 16

    /// Calls `body` with the type's offset and the content of each box, until it returns false. The last box
    /// may end after the bytes.
    private static func forEach(in reader: ByteReader, _ body: (Int, Range<Int>) -> Bool) {
        guard reader.uint16(at: 0, bigEndian: true) != 0xFF0A else { return }
        var (offset, count) = (0, 0)
        while count < maximumBoxes, let short = reader.uint32(at: offset, bigEndian: true) {
            count += 1
            var (start, length) = (offset + 8, short)
            if short == 1 {
                guard let high = reader.uint32(at: offset + 8, bigEndian: true), high <= Int(Int32.max),
                    let low = reader.uint32(at: offset + 12, bigEndian: true)
                else { return }
                (start, length) = (offset + 16, high << 32 | low)
            }
            if short == 0 { length = reader.count - offset }
            let (end, overflow) = offset.addingReportingOverflow(length)
            guard !overflow, end >= start, body(offset + 4, start..<end), end < reader.count else { return }
            offset = end
        }
    }

    /// Whether the container says how to restore a JPEG.
    static func hasJPEG(_ reader: ByteReader) -> Bool {
        var found = false
        forEach(in: reader) { type, _ in
            found = reader.has("jbrd", at: type)
            return !found
        }
        return found
    }

    /// The byte at `offset`; nil if it is not inside of a codestream.
    static func codestreamByte(at offset: Int, in reader: ByteReader) -> Int? {
        guard reader.uint16(at: 0, bigEndian: true) != 0xFF0A else { return reader.uint8(at: offset) }
        var isInside = false
        forEach(in: reader) { type, content in
            if content.contains(offset) {
                isInside =
                    reader.has("jxlc", at: type)
                    || reader.has("jxlp", at: type) && offset >= content.lowerBound + 4
            }
            return content.upperBound <= offset
        }
        return isInside ? reader.uint8(at: offset) : nil
    }
}
