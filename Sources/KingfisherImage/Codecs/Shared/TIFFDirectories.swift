/// The directories of a TIFF file (TIFF 6.0, section 2), the container of EXIF metadata; every read is
/// checked.
struct TIFFDirectories {
    enum FieldType: Int {
        case short = 3
        case long = 4
    }

    private let reader: ByteReader
    private let bigEndian: Bool
    let first: Int

    /// A limit for untrusted files; real directories have a few dozen entries.
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

    func next(after directory: Int) -> Int? {
        guard let count = reader.uint16(at: directory, bigEndian: bigEndian),
            let next = reader.uint32(at: directory + 2 + count * 12, bigEndian: bigEndian), next > 0
        else { return nil }
        return next
    }
}
