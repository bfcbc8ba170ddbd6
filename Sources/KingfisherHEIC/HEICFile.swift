import KingfisherCodecSupport
import KingfisherISOBoxes

/// The items of a HEIF file (ISO/IEC 23008-12 and 14496-12, 8.11), read without libheif.
struct HEICFile {
    struct Reference {
        let from: Int
        let to: [Int]
        let box: ISOBox
    }

    private(set) var primary = -1
    private var types: [Int: Int] = [:]
    private var propertyBoxes: [ISOBox] = []
    private var associations: [Int: [Int]] = [:]
    private var references: [Reference] = []

    static let maximumItems = 65_536

    let reader: ByteReader
    let meta: ByteReader

    static func matches(_ reader: ByteReader) -> Bool {
        guard let brands = ISOBrands(reader), !brands.contains("avif", "avis") else { return false }
        return brands.contains(
            "heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1")
    }

    init(_ reader: ByteReader) throws(ImageCodecError) {
        guard Self.matches(reader) else { throw .corrupt("no HEIC signature") }
        guard let meta = reader.box("meta") else {
            if reader.box("moov") != nil { throw .unsupported("HEIF sequence without a still image") }
            if ISOBox.isTruncated(reader) { throw .truncated }
            throw .corrupt("no items")
        }
        // libheif would take the last one.
        guard reader.boxes("meta").count == 1 else { throw .corrupt("several lists of items") }
        (self.reader, self.meta) = (reader, meta)
        if let content = meta.box("pitm", from: 4), let version = content.uint8(at: 0) {
            primary = Self.identifier(in: content, at: 4, isLong: version > 0) ?? -1
        }
        readTypes(meta)
        readProperties(meta)
        try readReferences(meta)
        guard types[primary] != nil else { throw .corrupt("no primary image") }
    }

    private static func identifier(in reader: ByteReader, at offset: Int, isLong: Bool) -> Int? {
        isLong ? reader.uint32(at: offset, bigEndian: true) : reader.uint16(at: offset, bigEndian: true)
    }

    /// `iinf` and its `infe` (ISO/IEC 14496-12, 8.11.6).
    private mutating func readTypes(_ meta: ByteReader) {
        guard let info = meta.box("iinf", from: 4), let version = info.uint8(at: 0) else { return }
        for entry in info.boxes("infe", from: version == 0 ? 6 : 8).prefix(Self.maximumItems) {
            guard let version = entry.uint8(at: 0), version >= 2 else { continue }
            let isLong = version > 2
            guard let id = Self.identifier(in: entry, at: 4, isLong: isLong),
                let type = entry.uint32(at: isLong ? 10 : 8, bigEndian: true)
            else { continue }
            types[id] = type
        }
    }

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
        for _ in 0..<min(count, Self.maximumItems) {
            guard let id = Self.identifier(in: table, at: offset, isLong: isLong) else { return }
            offset += isLong ? 4 : 2
            guard let entries = table.uint8(at: offset) else { return }
            offset += 1
            var indices: [Int] = []
            for _ in 0..<entries {
                let index =
                    isWide
                    ? table.uint16(at: offset, bigEndian: true).map { $0 & 0x7FFF }
                    : table.uint8(at: offset).map { $0 & 0x7F }
                guard let index else { return }
                offset += isWide ? 2 : 1
                indices.append(index)
            }
            associations[id, default: []] += indices
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

    /// Whether an item has a type that HEVC decoders do not read.
    var hasAV1: Bool { types.values.contains(0x6176_3031) }

    /// The properties of an item, in the order in which they apply.
    func properties(of item: Int) -> [ISOBox] {
        (associations[item] ?? []).compactMap { index in
            propertyBoxes.indices.contains(index - 1) ? propertyBoxes[index - 1] : nil
        }
    }

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

    /// The images that each image is made of: those that it is derived from, and those that belong to it.
    private var parts: [Int: [Int]] {
        var parts: [Int: [Int]] = [:]
        for reference in references {
            if reference.box.has("dimg") { parts[reference.from, default: []] += reference.to }
            if reference.box.has("auxl") {
                for image in reference.to { parts[image, default: []].append(reference.from) }
            }
        }
        return parts
    }

    /// Throws for images that are derived from themselves, which libheif 1.15 follows until the stack ends,
    /// and for more coded images, or pixels in them, than any writer makes.
    func checkDerivation(of item: Int) throws(ImageCodecError) {
        var known: [Int: Work] = [:]
        guard let work = work(for: item, parts, 0, &known) else {
            throw .corrupt("images derived from themselves")
        }
        guard work.images <= Self.maximumCodedImages else {
            throw .unsupported("\(work.images) images in one")
        }
        // A grid counts as a whole, and by its cells.
        guard work.pixels / 4 <= ImageLimits.maximumPixels else {
            throw .unsupported("\(work.pixels) pixels in the parts of an image")
        }
    }

    private static let maximumCodedImages = 16_384
    private static let maximumDepth = 6

    /// What is decoded for an image; saturated.
    private struct Work {
        var images = 1
        var pixels = 0

        mutating func add(_ other: Work) {
            images = min(images + other.images, 1 << 32)
            pixels = min(pixels + other.pixels, 1 << 60)
        }
    }

    /// Nil in a circle.
    private func work(
        for item: Int, _ parts: [Int: [Int]], _ depth: Int, _ known: inout [Int: Work]
    ) -> Work? {
        if let known = known[item] { return known }
        guard depth < Self.maximumDepth else { return nil }
        var total = Work(pixels: min(size(of: item)?.area ?? 0, 1 << 60))
        for part in parts[item] ?? [] {
            guard let work = work(for: part, parts, depth + 1, &known) else { return nil }
            total.add(work)
        }
        known[item] = total
        return total
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
        types.keys.compactMap(size(of:)).reduce(0) { max($0, $1.width, $1.height) }
    }

    /// The largest of the sizes of the images that `item` is made of.
    func largestPart(of item: Int) -> PixelSize {
        let parts = parts
        var (seen, rest, largest) = (Set([item]), parts[item] ?? [], PixelSize(width: 0, height: 0))
        while let next = rest.popLast() {
            guard seen.insert(next).inserted else { continue }
            if let size = size(of: next), size.area > largest.area { largest = size }
            rest += parts[next] ?? []
        }
        return largest
    }

    /// Whether another image, such as alpha, belongs to one of `items`.
    func hasAuxiliaryImages(of items: [Int]) -> Bool {
        let items = Set(items)
        return references.contains { $0.box.has("auxl") && !items.isDisjoint(with: $0.to) }
    }

    func isTransformed(_ item: Int) -> Bool {
        properties(of: item).contains { $0.has("irot") || $0.has("imir") || $0.has("clap") }
    }

    /// The code points (`colr` of type `nclx`: ISO/IEC 14496-12, 12.1.5) of an item; nil if it has none.
    func codePoints(of item: Int) -> ImageMetadata.CodePoints? {
        let colors = properties(of: item).compactMap { $0.has("colr") ? $0.content : nil }
        guard let content = colors.first(where: { $0.has("nclx", at: 0) }),
            let primaries = content.uint16(at: 4, bigEndian: true),
            let transfer = content.uint16(at: 6, bigEndian: true),
            let matrix = content.uint16(at: 8, bigEndian: true), let range = content.uint8(at: 10)
        else { return nil }
        return ImageMetadata.CodePoints(
            primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range & 0x80 != 0)
    }

    func has(_ type: StaticString, _ item: Int) -> Bool {
        let bytes = type.utf8Start
        return types[item] == (0..<4).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }

    /// The chroma format (`hvcC`), of a derived image that of its first input; nil if nothing says so.
    func chroma(of item: Int, depth: Int = 0) -> HEICImage.Chroma? {
        if let configuration = property("hvcC", of: item), let format = configuration.uint8(at: 16) {
            return HEICImage.Chroma(rawValue: format & 3)
        }
        guard depth < 4, let input = inputs(of: item).first else { return nil }
        return chroma(of: input, depth: depth + 1)
    }

    /// Bits of a luma sample (`hvcC`: ISO/IEC 14496-15, 8.3.3.1), for a derived image those of its first
    /// input; 8 if nothing says so.
    func bitsPerComponent(of item: Int, depth: Int = 0) -> Int {
        if let configuration = property("hvcC", of: item), let bits = configuration.uint8(at: 17) {
            return (bits & 7) + 8
        }
        guard depth < 4, let input = inputs(of: item).first else { return 8 }
        return bitsPerComponent(of: input, depth: depth + 1)
    }

    /// Whether an auxiliary image is the alpha of `item` (ISO/IEC 23008-12, 6.5.8; ISO/IEC 23091-2).
    func hasAlpha(_ item: Int) -> Bool {
        items("auxl", of: item).contains { auxiliary in
            guard let type = property("auxC", of: auxiliary) else { return false }
            return type.has("urn:mpeg:hevc:2015:auxid:1", at: 4)
                || type.has("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: 4)
        }
    }
}
