/// A TIFF file (TIFF 6.0, section 2), the container of EXIF metadata, and its byte order. Every read is
/// checked.
struct TIFFFile {
    enum FieldType: Int {
        case short = 3
        case long = 4
    }

    let reader: ByteReader
    let isBigEndian: Bool
    /// The offset of the first directory.
    let first: Int

    /// A limit for untrusted files; real directories have a few dozen entries.
    static let maximumEntries = 1_000

    /// Nil unless the bytes start with a TIFF header, or with `Exif`, two zeros and such a header.
    init?(_ bytes: ByteReader) {
        let prefix = bytes.has("Exif\0\0", at: 0) ? 6 : 0
        guard let reader = bytes.slice(at: prefix, count: bytes.count - prefix) else { return nil }
        guard reader.has("MM", at: 0) || reader.has("II", at: 0) else { return nil }
        isBigEndian = reader.has("MM", at: 0)
        guard reader.uint16(at: 2, bigEndian: isBigEndian) == 42,
            let first = reader.uint32(at: 4, bigEndian: isBigEndian)
        else { return nil }
        self.reader = reader
        self.first = first
    }

    func uint16(at offset: Int) -> Int? { reader.uint16(at: offset, bigEndian: isBigEndian) }
    func uint32(at offset: Int) -> Int? { reader.uint32(at: offset, bigEndian: isBigEndian) }

    /// The directory at `offset`; nil if not even its count is in the file.
    func directory(at offset: Int?) -> TIFFDirectory? {
        offset.flatMap { TIFFDirectory(self, at: $0) }
    }

    /// The offset of the directory after the one at `directory`; nil if that is the last one.
    func next(after directory: Int) -> Int? {
        guard let count = uint16(at: directory), let next = uint32(at: directory + 2 + count * 12), next > 0
        else { return nil }
        return next
    }

    /// One value of the directory at `directory`, without reading its other values.
    func value(of tag: Int, _ types: FieldType..., in directory: Int) -> Int? {
        guard let count = uint16(at: directory) else { return nil }
        for entry in 0..<min(count, Self.maximumEntries) {
            let offset = directory + 2 + entry * 12
            guard let found = uint16(at: offset) else { return nil }
            guard found == tag else { continue }
            guard let type = uint16(at: offset + 2).flatMap(FieldType.init), types.contains(type)
            else { return nil }
            return switch type {
            case .short: uint16(at: offset + 8)
            case .long: uint32(at: offset + 8)
            }
        }
        return nil
    }
}
