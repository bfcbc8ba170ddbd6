package import Foundation
package import KingfisherCodecSupport

extension TIFFStructure {
    /// The EXIF fields, as a TIFF file without pixels, and XMP, IPTC, profile and density.
    package func metadata(of directory: Directory) -> ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        if let profile = bytes(.profile, of: directory) { blocks.keep(profile, as: \.profile) }
        if let packet = bytes(.xmp, of: directory) { blocks.keep(packet, as: \.xmp) }
        if let records = bytes(.iptc, of: directory) { blocks.keep(records, as: \.iptc) }
        if let block = exif(of: directory, room: blocks.room) {
            block.withUnsafeBytes { blocks.keep(ByteReader($0), as: \.exif) }
        }
        return blocks
    }

    /// The EXIF fields of a directory in at most `room` bytes. A camera may store the directories of EXIF and
    /// GPS in files of their own, in the same byte order: `parts`, by their tags.
    package func exif(of directory: Directory, parts: [Tag: TIFFStructure] = [:], room: Int) -> Data? {
        EXIFBlock(self, directory, parts, room: room).data
    }
}

/// The EXIF fields of a page, copied into a new TIFF file, because the file of the page has pixels.
///
/// BigTIFF, whose numbers have other sizes, has none.
private struct EXIFBlock {
    private let isBigEndian: Bool
    private let parts: [Int: TIFFStructure]
    private var bytes = Data()
    private let room: Int
    private(set) var data: Data?

    /// Description, make, model, orientation, resolution, software, date, artist, copyright; and the
    /// directories of EXIF and GPS.
    private static let copied: Set<Int> = [
        270, 271, 272, 274, 282, 283, 296, 305, 306, 315, 33_432, 34_665, 34_853,
    ]

    init(
        _ file: TIFFStructure, _ directory: TIFFStructure.Directory,
        _ parts: [TIFFStructure.Tag: TIFFStructure], room: Int
    ) {
        isBigEndian = file.isBigEndian
        self.parts = Dictionary(uniqueKeysWithValues: parts.map { ($0.key.rawValue, $0.value) })
        self.room = room
        guard !file.isLarge else { return }
        bytes = Data((isBigEndian ? "MM" : "II").utf8)
        append(42, bytes: 2)
        append(8, bytes: 4)
        write(directory, of: file) { Self.copied.contains($0) }
        // A table without entries, and the end of the chain.
        if bytes.count > 8 + 6, bytes.count <= room { data = bytes }
    }

    private mutating func append(_ value: Int, bytes count: Int) {
        let places = isBigEndian ? Array((0..<count).reversed()) : Array(0..<count)
        for place in places { bytes.append(UInt8(value >> (8 * place) & 255)) }
    }

    private mutating func set(_ value: Int, at place: Int) {
        for index in 0..<4 {
            let shift = 8 * (isBigEndian ? 3 - index : index)
            bytes[place + index] = UInt8(value >> shift & 255)
        }
    }

    private func entries(
        of directory: TIFFStructure.Directory, with parts: [Int: TIFFStructure], _ isCopied: (Int) -> Bool
    ) -> [TIFFStructure.Entry] {
        let entries = directory.entries.values.filter { entry in
            isCopied(entry.tag) && TIFFStructure.bytes(of: entry.type) > 0 && entry.count > 0
                && parts[entry.tag] == nil
        }
        let others = parts.keys.map { TIFFStructure.Entry(tag: $0, type: 4, count: 1, place: -1) }
        return (entries + others).sorted { $0.tag < $1.tag }
    }

    /// Writes the table, then values and directories that do not fit into it.
    private mutating func write(
        _ directory: TIFFStructure.Directory, of file: TIFFStructure, depth: Int = 0,
        _ isCopied: (Int) -> Bool
    ) {
        let entries = entries(of: directory, with: depth == 0 ? parts : [:], isCopied)
        append(entries.count, bytes: 2)
        var later: [(place: Int, entry: TIFFStructure.Entry)] = []
        for entry in entries {
            append(entry.tag, bytes: 2)
            append(entry.type, bytes: 2)
            append(entry.count, bytes: 4)
            let length = entry.count * TIFFStructure.bytes(of: entry.type)
            let isDirectory = [TIFFStructure.Tag.exif, .gps].map(\.rawValue).contains(entry.tag)
            if isDirectory || length > 4 { later.append((bytes.count, entry)) }
            let value = file.reader.slice(at: entry.place, count: 4)
            bytes.append(contentsOf: value.map { Data($0.bytes) } ?? Data(count: 4))
        }
        append(0, bytes: 4)
        for (place, entry) in later where bytes.count <= room {
            set(bytes.count, at: place)
            let length = entry.count * TIFFStructure.bytes(of: entry.type)
            if length > 4 {
                guard let value = file.reader.slice(at: entry.place, count: length) else {
                    set(0, at: place)
                    continue
                }
                bytes.append(contentsOf: value.bytes)
                if length % 2 == 1 { bytes.append(0) }
            } else if depth == 0, let offset = parts[entry.tag]?.first ?? file.integer(entry),
                let nested = try? (parts[entry.tag] ?? file).directory(at: offset)
            {
                // MakerNotes have offsets into the file.
                write(nested, of: parts[entry.tag] ?? file, depth: 1) { $0 != 37_500 }
            }
        }
    }
}
