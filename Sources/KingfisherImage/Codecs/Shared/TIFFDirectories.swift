/// The directories of a TIFF file (TIFF 6.0, section 2), as EXIF metadata is made of; every read is checked.
struct TIFFDirectories {
    /// The types of fields that are read here.
    enum FieldType: Int {
        case short = 3
        case long = 4
    }

    private let reader: ByteReader
    private let bigEndian: Bool
    /// Where the first directory begins.
    let first: Int

    /// Entries of one directory; real ones have a few dozen.
    private static let maximumEntries = 1_000

    init?(_ tiff: ByteReader) {
        if tiff.has("MM", at: 0) {
            bigEndian = true
        } else if tiff.has("II", at: 0) {
            bigEndian = false
        } else {
            return nil
        }
        guard tiff.uint16(at: 2, bigEndian: bigEndian) == 42,
            let first = tiff.uint32(at: 4, bigEndian: bigEndian)
        else { return nil }
        reader = tiff
        self.first = first
    }

    /// The one number of a field; nil when the directory has no such field, or one of another type.
    func value(of tag: Int, _ types: FieldType..., in directory: Int) -> Int? {
        guard let count = reader.uint16(at: directory, bigEndian: bigEndian) else { return nil }
        for entry in 0..<min(count, Self.maximumEntries) {
            let offset = directory + 2 + entry * 12
            guard let found = reader.uint16(at: offset, bigEndian: bigEndian) else { return nil }
            guard found == tag else { continue }
            guard let type = reader.uint16(at: offset + 2, bigEndian: bigEndian).flatMap(FieldType.init),
                types.contains(type)
            else { return nil }
            return switch type {
            case .short: reader.uint16(at: offset + 8, bigEndian: bigEndian)
            case .long: reader.uint32(at: offset + 8, bigEndian: bigEndian)
            }
        }
        return nil
    }

    /// Where the directory after this one begins; nil when it is the last.
    func next(after directory: Int) -> Int? {
        guard let count = reader.uint16(at: directory, bigEndian: bigEndian),
            let next = reader.uint32(at: directory + 2 + count * 12, bigEndian: bigEndian), next > 0
        else { return nil }
        return next
    }
}
