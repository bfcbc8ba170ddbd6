import KingfisherCodecSupport
import KingfisherTIFFStructure

/// What a RAW file is, by the marks that only RAW files have.
enum RAWContainer {
    /// Directories as in TIFF: CR2, NEF, ARW, DNG, ORF, RW2.
    case directories(TIFFStructure)
    /// Boxes of ISO/IEC 14496-12: CR3.
    case boxes
    /// Fujifilm's header: RAF.
    case fuji

    /// Olympus and Panasonic have other versions than TIFF.
    private static let signatures: [StaticString] = ["IIRO", "IIRS", "MMOR", "IIU\0"]
    private static let versions = TIFFStructure.versions + [0x4F52, 0x5352, 0x55]
    /// The main image of a NEF is compressed by Nikon's method; others have samples of a colour filter.
    private static let nikonCompression = 34_713
    private static let colorFilter = 32_803
    /// Files have two or three.
    static let maximumSubdirectories = 16

    init?(_ reader: ByteReader) {
        if reader.has("FUJIFILMCCD-RAW ", at: 0) {
            self = .fuji
        } else if reader.has("ftypcrx ", at: 4) {
            self = .boxes
        } else if let file = try? TIFFStructure(reader, versions: Self.versions), Self.isRAW(file) {
            self = .directories(file)
        } else {
            return nil
        }
    }

    private static func isRAW(_ file: TIFFStructure) -> Bool {
        let reader = file.reader
        if signatures.contains(where: { reader.has($0, at: 0) }) || reader.has("CR\u{2}", at: 8) {
            return true
        }
        guard TIFFStructure.matches(reader) else { return false }
        guard let main = try? file.directory(at: file.first) else { return false }
        if main.entries[TIFFStructure.Tag.dngVersion.rawValue] != nil { return true }
        guard let make = file.bytes(.make, of: main), make.has("NIKON", at: 0) || make.has("SONY", at: 0)
        else { return false }
        return file.subdirectories(of: main).contains { offset in
            guard let directory = try? file.directory(at: offset) else { return false }
            return file.integer(.photometric, of: directory) == colorFilter
                || file.integer(.compression, of: directory) == nikonCompression
        }
    }
}

extension TIFFStructure {
    /// The offsets in `SubIFDs` (TIFF Technical Note 1); `Int.max` for one that is not in the file.
    func subdirectories(of directory: Directory) -> [Int] {
        let count = min(count(.subDirectories, of: directory), RAWContainer.maximumSubdirectories)
        return (0..<count).map { integer(.subDirectories, at: $0, of: directory) ?? .max }
    }
}
