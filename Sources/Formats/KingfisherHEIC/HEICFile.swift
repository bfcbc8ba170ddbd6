import KingfisherCodecSupport
import KingfisherISOBoxes

/// The items of a HEIF file (ISO/IEC 23008-12 and 14496-12, 8.11), read without libheif.
struct HEICFile {
    struct Reference {
        let from: Int
        let to: [Int]
        let box: ISOBox
    }

    struct Association {
        let property: Int
        /// Whether readers that do not know the property must not read the item.
        let isEssential: Bool
    }

    private(set) var primary = -1
    /// The contents of `infe`.
    private(set) var entries: [Int: ByteReader] = [:]
    private var propertyBoxes: [ISOBox] = []
    /// The numbers of the properties of each item, from 1 on.
    private var associations: [Int: [Association]] = [:]
    private(set) var references: [Reference] = []

    let reader: ByteReader
    let meta: ByteReader
    /// The bytes of the readers.
    private let file: EncodedFile

    static func matches(_ reader: ByteReader) -> Bool {
        guard let brands = ISOBrands(reader), !brands.contains("avif", "avis") else { return false }
        return brands.contains(
            "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1")
    }

    init(_ file: EncodedFile) throws(ImageCodecError) {
        let reader = file.reader
        guard Self.matches(reader) else { throw .corrupt("no HEIC signature") }
        guard let meta = reader.box("meta") else {
            if ISOBox.isTruncated(reader) { throw .truncated }
            throw .corrupt("no items")
        }
        // libheif would take the last one.
        guard reader.boxes("meta").count == 1 else { throw .corrupt("several lists of items") }
        (self.file, self.reader, self.meta) = (file, reader, meta)
        if let content = meta.box("pitm", from: 4), let version = content.uint8(at: 0) {
            primary = Self.identifier(in: content, at: 4, isLong: version > 0) ?? -1
        }
        readEntries(meta)
        readProperties(meta)
        try readReferences(meta)
        guard entries[primary] != nil else { throw .corrupt("no primary image") }
    }

    var limits: ImageLimits { file.limits }

    private static func identifier(in reader: ByteReader, at offset: Int, isLong: Bool) -> Int? {
        isLong ? reader.uint32(at: offset, bigEndian: true) : reader.uint16(at: offset, bigEndian: true)
    }

    /// `iinf` and its `infe` (ISO/IEC 14496-12, 8.11.6).
    private mutating func readEntries(_ meta: ByteReader) {
        guard let info = meta.box("iinf", from: 4), let version = info.uint8(at: 0) else { return }
        for entry in info.boxes("infe", from: version == 0 ? 6 : 8).prefix(ISOItems.maximumItems) {
            guard let version = entry.uint8(at: 0), version >= 2,
                let id = Self.identifier(in: entry, at: 4, isLong: version > 2),
                entry.uint32(at: Self.typeOffset(in: entry), bigEndian: true) != nil
            else { continue }
            entries[id] = entry
        }
    }

    static func typeOffset(in entry: ByteReader) -> Int { entry.uint8(at: 0) == 2 ? 8 : 10 }

    /// `ipco` and `ipma` (ISO/IEC 23008-12, 9.3).
    private mutating func readProperties(_ meta: ByteReader) {
        guard let properties = meta.box("iprp", from: 4) else { return }
        properties.box("ipco")?.eachBox { box in
            propertyBoxes.append(box)
            return propertyBoxes.count < ISOBox.maximumBoxes
        }
        for table in properties.boxes("ipma") { readAssociations(table) }
    }

    private mutating func readAssociations(_ table: ByteReader) {
        guard let flags = table.uint32(at: 0, bigEndian: true),
            let count = table.uint32(at: 4, bigEndian: true)
        else { return }
        let (isLong, isWide) = (flags >> 24 > 0, flags & 1 == 1)
        var offset = 8
        for _ in 0..<min(count, ISOItems.maximumItems) {
            guard let id = Self.identifier(in: table, at: offset, isLong: isLong) else { return }
            offset += isLong ? 4 : 2
            guard let entries = table.uint8(at: offset) else { return }
            offset += 1
            var found: [Association] = []
            for _ in 0..<entries {
                let number = isWide ? table.uint16(at: offset, bigEndian: true) : table.uint8(at: offset)
                guard let number else { return }
                let essential = isWide ? 0x8000 : 0x80
                found.append(
                    Association(property: number & (essential - 1), isEssential: number & essential != 0))
                offset += isWide ? 2 : 1
            }
            associations[id, default: []] += found
        }
    }

    /// `iref` (ISO/IEC 14496-12, 8.11.12).
    ///
    /// libheif ignores the lengths of references, so other lengths than theirs would hide a circle from us.
    private mutating func readReferences(_ meta: ByteReader) throws(ImageCodecError) {
        var table: ByteReader?
        var isWhole = true
        meta.eachBox(from: 4) { box in
            if box.has("iref"), table == nil { table = box.content }
            isWhole = isWhole && box.content != nil
            return isWhole
        }
        guard isWhole else { throw .corrupt("a box exceeds the items") }
        guard let table, let version = table.uint8(at: 0) else { return }
        let size = version > 0 ? 4 : 2
        var offset = 4
        while offset < table.count {
            guard references.count < ISOBox.maximumBoxes, let box = ISOBox(at: offset, in: table),
                let content = box.content, !box.has("uuid"),
                let from = Self.identifier(in: content, at: 0, isLong: version > 0),
                let count = content.uint16(at: size, bigEndian: true),
                content.count == size + 2 + count * size
            else { throw .corrupt("malformed references") }
            let to = (0..<count).compactMap {
                Self.identifier(in: content, at: size + 2 + $0 * size, isLong: version > 0)
            }
            references.append(Reference(from: from, to: to, box: box))
            offset += box.length
        }
    }

    // MARK: Questions

    /// The associations of an item with properties that exist, in the order in which these apply.
    func associations(of item: Int) -> [(association: Association, box: ISOBox)] {
        (associations[item] ?? []).compactMap { association -> (association: Association, box: ISOBox)? in
            let index = association.property - 1
            return propertyBoxes.indices.contains(index) ? (association, propertyBoxes[index]) : nil
        }
    }

    func properties(of item: Int) -> [ISOBox] { associations(of: item).map(\.box) }

    func property(_ type: StaticString, of item: Int) -> ByteReader? {
        properties(of: item).first { $0.has(type) }?.content
    }

    /// The items with a reference to `item`, in the order of the file.
    func items(_ type: StaticString, of item: Int) -> [Int] {
        references.filter { $0.box.has(type) && $0.to.contains(item) }.map(\.from)
    }

    /// The items that a derived image is made of.
    func inputs(of item: Int) -> [Int] {
        references.first { $0.box.has("dimg") && $0.from == item }?.to ?? []
    }

    /// The size before transformations (`ispe`: ISO/IEC 23008-12, 6.5.3).
    func size(of item: Int) -> PixelSize? {
        guard let content = property("ispe", of: item),
            let width = content.uint32(at: 4, bigEndian: true),
            let height = content.uint32(at: 8, bigEndian: true)
        else { return nil }
        return PixelSize(width: width, height: height)
    }

    /// The longest of the sides that are declared in the file.
    var longestSide: Int {
        entries.keys.compactMap(size(of:)).reduce(0) { max($0, $1.width, $1.height) }
    }

    /// The transformations of an item, in the order in which they apply.
    func transformations(of item: Int) -> [ISOBox] {
        properties(of: item).filter(Self.isTransformation)
    }

    static func isTransformation(_ property: ISOBox) -> Bool {
        property.has("irot") || property.has("imir") || property.has("clap")
    }

    /// Whether an item has a type.
    func has(_ type: StaticString, _ item: Int) -> Bool {
        entries[item].map { $0.has(type, at: Self.typeOffset(in: $0)) } ?? false
    }

    /// The chroma format (`hvcC`), for a derived image the format of its first input; nil if nothing says so.
    func chroma(of item: Int, depth: Int = 0) -> HEICImage.Chroma? {
        if let configuration = property("hvcC", of: item), let format = configuration.uint8(at: 16) {
            return HEICImage.Chroma(rawValue: format & 3)
        }
        guard depth < 4, let input = inputs(of: item).first else { return nil }
        return chroma(of: input, depth: depth + 1)
    }

    /// Bits of a luma sample (`hvcC`: ISO/IEC 14496-15, 8.3.3.1), for a derived image the bits of its first
    /// input; 8 if nothing says so.
    func bitsPerComponent(of item: Int, depth: Int = 0) -> Int {
        if let configuration = property("hvcC", of: item), let bits = configuration.uint8(at: 17) {
            return (bits & 7) + 8
        }
        guard depth < 4, let input = inputs(of: item).first else { return 8 }
        return bitsPerComponent(of: input, depth: depth + 1)
    }

    /// The alpha of `item` (ISO/IEC 23008-12, 6.5.8; ISO/IEC 23091-2).
    func alpha(of item: Int) -> Int? {
        items("auxl", of: item).first { auxiliary in
            property("auxC", of: auxiliary).map(Self.isAlpha) ?? false
        }
    }

    /// Whether an auxiliary image with this content of `auxC` or `auxi` is alpha.
    static func isAlpha(_ type: ByteReader) -> Bool {
        type.has("urn:mpeg:hevc:2015:auxid:1", at: 4)
            || type.has("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: 4)
    }

    /// Whether the colours of `item` are multiplied by `alpha` (`prem`: ISO/IEC 23008-12, 6.10.1.1).
    func isPremultiplied(_ item: Int, by alpha: Int) -> Bool {
        references.contains { $0.box.has("prem") && $0.from == item && $0.to.contains(alpha) }
    }
}
