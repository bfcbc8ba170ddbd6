/// The index of a file with several images (CIPA DC-007, section 5.2.3), in an APP2 segment: for each image
/// its attributes, its size, and its offset from the index's TIFF header, which is 0 for the first image.
enum ImageIndex {
    private static let entriesTag = 0xB002
    private static let entryBytes = 16

    /// Corrects the index for a first image that grows by `count` bytes at `place`.
    static func shift(
        in bytes: inout [UInt8], _ structure: JPEGStructure, at place: Int, by count: Int
    ) throws(ImageCodecError) {
        for segment in structure.segments where segment.code == 0xE2 {
            guard bytes[segment.body..<segment.end].starts(with: "MPF\0".utf8) else { continue }
            let header = segment.body + 4
            guard let table = bytes.withUnsafeBytes({ entries(ByteReader($0), header..<segment.end) }) else {
                throw .unsupported("a malformed index of a file with several images")
            }
            for (index, entry) in table.places.enumerated() {
                // Sizes and offsets have 32 bits.
                if index == 0 { add(count, at: entry + 4, in: &bytes, table.isBigEndian) }
                // Images after the index move with it, unless the growth is between them.
                if index > 0, place > header { add(count, at: entry + 8, in: &bytes, table.isBigEndian) }
            }
        }
    }

    /// Cameras write two or three images; this is for malicious files.
    private static let maximumImages = 8

    /// The offsets of the images after the first one.
    static func laterImages(in file: ByteReader, _ structure: JPEGStructure) -> [Int] {
        for segment in structure.segments where segment.code == 0xE2 {
            guard segment.data(in: file).has("MPF\0", at: 0),
                let table = entries(file, segment.body + 4..<segment.end)
            else { continue }
            return table.places.dropFirst().prefix(maximumImages).compactMap { entry in
                file.uint32(at: entry + 8, bigEndian: table.isBigEndian).map { segment.body + 4 + $0 }
            }
        }
        return []
    }

    private static func entries(
        _ file: ByteReader, _ range: Range<Int>
    ) -> (places: [Int], isBigEndian: Bool)? {
        guard let block = file.slice(at: range.lowerBound, count: range.count), let tiff = TIFFFile(block),
            tiff.reader.count == block.count, let directory = tiff.directory(at: tiff.first),
            let table = directory.bytes(entriesTag), table.count >= entryBytes, table.count % entryBytes == 0,
            let base = file.bytes.baseAddress, let start = table.bytes.baseAddress
        else { return nil }
        let first = base.distance(to: start)
        return (stride(from: first, to: first + table.count, by: entryBytes).map(\.self), tiff.isBigEndian)
    }

    private static func add(_ count: Int, at offset: Int, in bytes: inout [UInt8], _ isBigEndian: Bool) {
        let old = bytes.withUnsafeBytes { ByteReader($0).uint32(at: offset, bigEndian: isBigEndian) }
        // 0 is the offset of the first image, or the size of a missing one.
        guard let old, old > 0, offset + 4 <= bytes.count else { return }
        let new = UInt32(truncatingIfNeeded: old + count)
        let ordered = isBigEndian ? new.bigEndianBytes : new.bigEndianBytes.reversed()
        bytes.replaceSubrange(offset..<offset + 4, with: ordered)
    }
}
