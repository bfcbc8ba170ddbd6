package import KingfisherCodecSupport

extension ByteReader {
    /// The bytes of the items of a box `meta`, which this is, that are in one piece of `file` or of `idat`
    /// (`iloc`: ISO/IEC 14496-12, 8.11.3), by their numbers.
    package func itemContents(in file: ByteReader) -> [Int: ByteReader] {
        guard let table = box("iloc", from: 4), let version = table.uint8(at: 0), version <= 2,
            let sizes = table.uint16(at: 4, bigEndian: true)
        else { return [:] }
        let layout = LocationLayout(version: version, sizes: sizes)
        let count =
            version < 2 ? table.uint16(at: 6, bigEndian: true) : table.uint32(at: 6, bigEndian: true)
        let data = box("idat", from: 4)
        var found: [Int: ByteReader] = [:]
        var offset = version < 2 ? 8 : 10
        for _ in 0..<min(count ?? 0, ISOItems.maximumItems) {
            guard let location = Location(table, layout, at: &offset) else { break }
            let source = location.method == 0 ? file : location.method == 1 ? data : nil
            guard location.extents == 1, let source else { continue }
            found[location.item] = source.slice(at: location.offset, count: location.length)
        }
        return found
    }
}

/// The widths of the fields of `iloc`, in bytes.
private struct LocationLayout {
    let version: Int
    let offset: Int
    let length: Int
    let base: Int
    let index: Int

    init(version: Int, sizes: Int) {
        self.version = version
        (offset, length, base) = (sizes >> 12, sizes >> 8 & 15, sizes >> 4 & 15)
        index = version > 0 ? sizes & 15 : 0
    }
}

/// An entry of `iloc`.
private struct Location {
    let item: Int
    let method: Int
    let extents: Int
    /// The offset and length of the first extent.
    let offset: Int
    let length: Int

    /// Advances `place` to the next entry; nil if this one is malformed.
    init?(_ table: ByteReader, _ layout: LocationLayout, at place: inout Int) {
        var next = place
        func number(_ bytes: Int) -> Int? {
            defer { next += bytes }
            switch bytes {
            case 0: return 0
            case 2: return table.uint16(at: next, bigEndian: true)
            case 4: return table.uint32(at: next, bigEndian: true)
            case 8: return table.uint64(at: next)
            default: return nil
            }
        }
        guard let item = number(layout.version < 2 ? 2 : 4), let method = number(layout.version > 0 ? 2 : 0),
            number(2) != nil, let base = number(layout.base), let extents = number(2)
        else { return nil }
        let first = next
        guard number(extents > 0 ? layout.index : 0) != nil,
            let offset = number(extents > 0 ? layout.offset : 0),
            let length = number(extents > 0 ? layout.length : 0)
        else { return nil }
        place = first + extents * (layout.index + layout.offset + layout.length)
        (self.item, self.method, self.extents, self.length) = (item, method & 15, extents, length)
        let (sum, overflow) = base.addingReportingOverflow(offset)
        self.offset = overflow ? -1 : sum
    }
}
