package import KingfisherCodecSupport

/// The directories of a TIFF or BigTIFF file (TIFF 6.0, section 2; BigTIFF as libtiff defines it), read
/// without libtiff; also of camera RAW files, which have this structure.
package struct TIFFStructure: Sendable {
    package enum Tag: Int {
        case newSubfileType = 254
        case subfileType = 255
        case width = 256
        case height = 257
        case bitsPerSample = 258
        case compression = 259
        case photometric = 262
        case make = 271
        case stripOffsets = 273
        case orientation = 274
        case samplesPerPixel = 277
        case rowsPerStrip = 278
        case stripByteCounts = 279
        case xResolution = 282
        case yResolution = 283
        case planarConfiguration = 284
        case resolutionUnit = 296
        case colorMap = 320
        case tileWidth = 322
        case tileHeight = 323
        case tileOffsets = 324
        case tileByteCounts = 325
        case subDirectories = 330
        case inkSet = 332
        case extraSamples = 338
        case sampleFormat = 339
        case jpegOffset = 513
        case jpegLength = 514
        case xmp = 700
        case iptc = 33_723
        case exif = 34_665
        case profile = 34_675
        case gps = 34_853
        case makerNote = 37_500
        case dngVersion = 50_706
    }

    package struct Entry: Sendable {
        package let tag: Int
        package let type: Int
        package let count: Int
        package let place: Int
    }

    package struct Directory: Sendable {
        package let offset: Int
        package let entries: [Int: Entry]
        package let next: Int?
    }

    package let reader: ByteReader
    package let isBigEndian: Bool
    package let isLarge: Bool
    package let first: Int

    /// A limit for untrusted files; real directories have a few dozen entries.
    private static let maximumEntries = 4_096
    package static let maximumPages = 65_536
    /// A limit for untrusted files; a pyramid has about ten levels.
    private static let maximumReducedImages = 64

    /// TIFF and BigTIFF.
    package static let versions = [42, 43]

    package static func matches(_ reader: ByteReader, versions: [Int] = versions) -> Bool {
        guard reader.has("II", at: 0) || reader.has("MM", at: 0) else { return false }
        return reader.uint16(at: 2, bigEndian: reader.has("MM", at: 0)).map(versions.contains) ?? false
    }

    /// Reads the header. Cameras write other versions than TIFF does.
    package init(_ reader: ByteReader, versions: [Int] = versions) throws(ImageCodecError) {
        guard Self.matches(reader, versions: versions) else { throw .corrupt("no TIFF signature") }
        self.reader = reader
        isBigEndian = reader.has("MM", at: 0)
        isLarge = reader.uint16(at: 2, bigEndian: isBigEndian) == 43
        let first =
            isLarge
            ? Self.uint64(reader, at: 8, isBigEndian) : reader.uint32(at: 4, bigEndian: isBigEndian)
        guard let first else { throw .truncated }
        self.first = first
    }

    /// Directories without a header, such as in a maker note.
    package init(_ reader: ByteReader, isBigEndian: Bool, first: Int) {
        (self.reader, self.isBigEndian, isLarge, self.first) = (reader, isBigEndian, false, first)
    }

    /// Nil above `Int.max`.
    private static func uint64(_ reader: ByteReader, at offset: Int, _ isBigEndian: Bool) -> Int? {
        guard let a = reader.uint32(at: offset, bigEndian: isBigEndian),
            let b = reader.uint32(at: offset + 4, bigEndian: isBigEndian)
        else { return nil }
        let (high, low) = isBigEndian ? (a, b) : (b, a)
        return high <= Int(Int32.max) ? high << 32 | low : nil
    }

    private func word(at offset: Int) -> Int? {
        isLarge
            ? Self.uint64(reader, at: offset, isBigEndian) : reader.uint32(at: offset, bigEndian: isBigEndian)
    }

    /// Bytes of one value of a type; 0 for an unknown one.
    package static func bytes(of type: Int) -> Int {
        switch type {
        case 1, 2, 6, 7: 1
        case 3, 8: 2
        case 4, 9, 11, 13: 4
        case 5, 10, 12, 16, 17, 18: 8
        default: 0
        }
    }

    package func directory(at offset: Int) throws(ImageCodecError) -> Directory {
        let count =
            isLarge
            ? Self.uint64(reader, at: offset, isBigEndian) : reader.uint16(at: offset, bigEndian: isBigEndian)
        guard let count else { throw .truncated }
        guard count <= Self.maximumEntries else { throw .corrupt("a directory with \(count) entries") }
        let (start, size, inline) = isLarge ? (offset + 8, 20, 8) : (offset + 2, 12, 4)
        guard start + count * size <= reader.count else { throw .truncated }
        var entries: [Int: Entry] = [:]
        for index in 0..<count {
            let place = start + index * size
            guard let tag = reader.uint16(at: place, bigEndian: isBigEndian),
                let type = reader.uint16(at: place + 2, bigEndian: isBigEndian),
                let count = word(at: place + 4)
            else { throw .truncated }
            let value = place + size - inline
            let (bytes, overflow) = count.multipliedReportingOverflow(by: Self.bytes(of: type))
            guard !overflow, let offset = bytes <= inline ? value : word(at: value) else { continue }
            // Of several entries with one tag, the first counts.
            if entries[tag] == nil { entries[tag] = Entry(tag: tag, type: type, count: count, place: offset) }
        }
        let next = word(at: start + count * size).flatMap { $0 == 0 ? nil : $0 }
        return Directory(offset: offset, entries: entries, next: next)
    }

    /// The directory of page `number`.
    ///
    /// Page 0 is the first one that is not a reduced version of another (TIFF 6.0, section 8:
    /// `NewSubfileType`), if there is one: some programs write a preview first.
    package func page(_ number: Int) throws(ImageCodecError) -> Directory {
        let first = try directory(number)
        guard number == 0, isReduced(first) else { return first }
        var directory = first
        for _ in 0..<Self.maximumReducedImages {
            guard let next = directory.next else { break }
            directory = try self.directory(at: next)
            if !isReduced(directory) { return directory }
        }
        return first
    }

    private func isReduced(_ directory: Directory) -> Bool {
        (integer(.newSubfileType, of: directory) ?? 0) & 1 == 1 || integer(.subfileType, of: directory) == 2
    }

    private func directory(_ number: Int) throws(ImageCodecError) -> Directory {
        var (index, offset) = (0, Optional(first))
        var seen: Set<Int> = []
        while let place = offset, place > 0, seen.insert(place).inserted, index < Self.maximumPages {
            let directory = try directory(at: place)
            if index == number { return directory }
            index += 1
            offset = directory.next
        }
        throw .corrupt("no page \(number)")
    }

    package var pageCount: Int {
        var seen: Set<Int> = []
        var offset = Optional(first)
        while let place = offset, place > 0, seen.count < Self.maximumPages, !seen.contains(place),
            let directory = try? directory(at: place)
        {
            seen.insert(place)
            offset = directory.next
        }
        return seen.count
    }

    // MARK: Values

    package func bytes(_ tag: Tag, of directory: Directory) -> ByteReader? {
        directory.entries[tag.rawValue].flatMap(bytes)
    }

    package func bytes(_ entry: Entry) -> ByteReader? {
        let (length, overflow) = entry.count.multipliedReportingOverflow(by: Self.bytes(of: entry.type))
        return overflow ? nil : reader.slice(at: entry.place, count: length)
    }

    package func integer(_ tag: Tag, at index: Int = 0, of directory: Directory) -> Int? {
        directory.entries[tag.rawValue].flatMap { integer($0, at: index) }
    }

    package func integer(_ entry: Entry, at index: Int = 0) -> Int? {
        guard index < entry.count, entry.place < reader.count else { return nil }
        let place = entry.place + index * Self.bytes(of: entry.type)
        return switch entry.type {
        case 1, 7: reader.uint8(at: place)
        case 3: reader.uint16(at: place, bigEndian: isBigEndian)
        case 4, 13: reader.uint32(at: place, bigEndian: isBigEndian)
        case 16, 18: Self.uint64(reader, at: place, isBigEndian)
        default: nil
        }
    }

    package func count(_ tag: Tag, of directory: Directory) -> Int {
        directory.entries[tag.rawValue]?.count ?? 0
    }

    /// Whether the samples are not all in the file.
    package func isTruncated(_ directory: Directory, isTiled: Bool) -> Bool {
        let (offsets, lengths): (Tag, Tag) =
            isTiled ? (.tileOffsets, .tileByteCounts) : (.stripOffsets, .stripByteCounts)
        // libtiff estimates missing lengths.
        let pieces = min(count(offsets, of: directory), 1 << 20)
        return (0..<pieces).contains { index in
            guard let offset = integer(offsets, at: index, of: directory) else { return true }
            let length = integer(lengths, at: index, of: directory) ?? 1
            return offset > reader.count || length > reader.count - offset
        }
    }
}
