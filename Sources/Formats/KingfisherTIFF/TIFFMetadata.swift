import Foundation
import KingfisherCodecSupport

extension TIFFStructure {
    /// The EXIF fields, as a TIFF file without pixels, and XMP, IPTC, profile and density.
    func metadata(of directory: Directory) -> ImageMetadataBlocks {
        var blocks = ImageMetadataBlocks()
        if let profile = bytes(.profile, of: directory) { blocks.keep(profile, as: \.profile) }
        if let packet = bytes(.xmp, of: directory) { blocks.keep(packet, as: \.xmp) }
        if let records = bytes(.iptc, of: directory) { blocks.keep(records, as: \.iptc) }
        if let block = EXIFBlock(self, directory, room: blocks.room).data {
            block.withUnsafeBytes { blocks.keep(ByteReader($0), as: \.exif) }
        }
        return blocks
    }
}

/// The EXIF fields of a page, copied into a new TIFF file, because the file of the page has pixels.
///
/// BigTIFF, whose numbers have other sizes, has none.
private struct EXIFBlock {
    private let file: TIFFStructure
    private var bytes = Data()
    private let room: Int
    private(set) var data: Data?

    /// Description, make, model, orientation, resolution, software, date, artist, copyright; and the
    /// directories of EXIF and GPS.
    private static let copied: Set<Int> = [
        270, 271, 272, 274, 282, 283, 296, 305, 306, 315, 33_432, 34_665, 34_853,
    ]

    init(_ file: TIFFStructure, _ directory: TIFFStructure.Directory, room: Int) {
        self.file = file
        self.room = room
        guard !file.isLarge, let head = file.reader.slice(at: 0, count: 4) else { return }
        bytes = Data(head.bytes)
        append(8, bytes: 4)
        write(directory) { Self.copied.contains($0) }
        // A table without entries, and the end of the chain.
        if bytes.count > 8 + 6, bytes.count <= room { data = bytes }
    }

    private mutating func append(_ value: Int, bytes count: Int) {
        let places = file.isBigEndian ? Array((0..<count).reversed()) : Array(0..<count)
        for place in places { bytes.append(UInt8(value >> (8 * place) & 255)) }
    }

    private mutating func set(_ value: Int, at place: Int) {
        for index in 0..<4 {
            let shift = 8 * (file.isBigEndian ? 3 - index : index)
            bytes[place + index] = UInt8(value >> shift & 255)
        }
    }

    /// Writes the table, then values and directories that do not fit into it.
    private mutating func write(
        _ directory: TIFFStructure.Directory, depth: Int = 0, _ isCopied: (Int) -> Bool
    ) {
        let entries = directory.entries.values.filter { entry in
            isCopied(entry.tag) && TIFFStructure.bytes(of: entry.type) > 0 && entry.count > 0
        }.sorted { $0.tag < $1.tag }
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
            } else if depth == 0, let offset = directoryOffset(entry),
                let nested = try? file.directory(at: offset)
            {
                // MakerNotes have offsets into the file.
                write(nested, depth: 1) { $0 != 37_500 }
            }
        }
    }

    private func directoryOffset(_ entry: TIFFStructure.Entry) -> Int? {
        file.reader.uint32(at: entry.place, bigEndian: file.isBigEndian)
    }
}
