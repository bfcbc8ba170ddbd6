/// A directory, read in one pass. Entries outside of the file are ignored.
struct TIFFDirectory {
    struct Entry {
        let type: Int
        let count: Int
        /// The offset of the value, which may be outside of the file.
        let place: Int
    }

    private let file: TIFFFile
    private let entries: [Int: Entry]
    /// The offset of the next directory; nil for the last one.
    let next: Int?

    init?(_ file: TIFFFile, at offset: Int) {
        guard let count = file.uint16(at: offset) else { return nil }
        var entries: [Int: Entry] = [:]
        for index in 0..<min(count, TIFFFile.maximumEntries) {
            let place = offset + 2 + index * 12
            guard let tag = file.uint16(at: place), let type = file.uint16(at: place + 2),
                let count = file.uint32(at: place + 4)
            else { break }
            let isInline = Self.bytes(of: type) * count <= 4
            guard let value = isInline ? place + 8 : file.uint32(at: place + 8) else { break }
            // Of several entries with one tag, the first counts.
            if entries[tag] == nil { entries[tag] = Entry(type: type, count: count, place: value) }
        }
        self.file = file
        self.entries = entries
        next = file.next(after: offset)
    }

    /// The bytes of one value of a type; 0 for an unknown one.
    static func bytes(of type: Int) -> Int {
        switch type {
        case 1, 2, 6, 7, 129: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12: 8
        default: 0
        }
    }

    /// The bytes of a value; nil if they are not in the file.
    func bytes(_ tag: Int) -> ByteReader? {
        guard let entry = entries[tag] else { return nil }
        return file.reader.slice(at: entry.place, count: entry.count * Self.bytes(of: entry.type))
    }

    /// The first number of an entry of bytes, shorts or longs.
    func integer(_ tag: Int) -> Int? {
        guard let entry = entries[tag], entry.count > 0 else { return nil }
        return switch entry.type {
        case 1, 7: file.reader.uint8(at: entry.place)
        case 3: file.uint16(at: entry.place)
        case 4, 13: file.uint32(at: entry.place)
        default: nil
        }
    }

    /// The fraction number `index` of an entry; nil if its denominator is 0. A short or long counts as well.
    func fraction(_ tag: Int, at index: Int = 0) -> Double? {
        guard let entry = entries[tag], index < entry.count else { return nil }
        let place = entry.place + index * 8
        guard entry.type == 5 || entry.type == 10 else {
            return index == 0 ? integer(tag).map(Double.init) : nil
        }
        guard let numerator = file.uint32(at: place), let denominator = file.uint32(at: place + 4),
            denominator != 0
        else { return nil }
        guard entry.type == 10 else { return Double(numerator) / Double(denominator) }
        return Double(Int32(truncatingIfNeeded: numerator)) / Double(Int32(truncatingIfNeeded: denominator))
    }

    /// A text up to its first zero; nil if it is empty or of another type.
    func text(_ tag: Int) -> String? { textBytes(tag).flatMap(String.init(metadata:)) }

    /// The text between the first and the second zero of an entry.
    func secondText(_ tag: Int) -> String? {
        guard let bytes = textBytes(tag), let end = bytes.offset(of: 0, from: 0) else { return nil }
        return bytes.slice(at: end + 1, count: bytes.count - end - 1).flatMap(String.init(metadata:))
    }

    private func textBytes(_ tag: Int) -> ByteReader? {
        guard let entry = entries[tag], entry.type == 2 || entry.type == 129 || entry.type == 7 else {
            return nil
        }
        return bytes(tag)
    }
}

extension String {
    /// A text of a file up to its first zero, without spaces at its end: UTF-8, or Latin-1 if it is not valid
    /// UTF-8. Nil if nothing remains; truncated to `ImageMetadata.maximumTextBytes`.
    init?(metadata bytes: ByteReader) {
        var content = bytes.bytes.prefix(ImageMetadata.maximumTextBytes)
        if let end = content.firstIndex(of: 0) { content = content[..<end] }
        while let last = content.last, [0x09, 0x0A, 0x0D, 0x20].contains(last) {
            content = content.dropLast()
        }
        guard !content.isEmpty else { return nil }
        // The limit may have divided a character.
        for cut in 0..<(bytes.count > ImageMetadata.maximumTextBytes ? 4 : 1) {
            if let text = String(validating: content.dropLast(cut), as: UTF8.self) {
                self = text
                return
            }
        }
        self.init(latin1: content)
    }
}
