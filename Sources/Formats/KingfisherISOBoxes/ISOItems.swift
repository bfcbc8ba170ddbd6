package import KingfisherCodecSupport

/// The items of a file of images, and what refers to them (`meta`: ISO/IEC 14496-12, 8.11), as far as gain
/// maps need.
package struct ISOItems {
    private let file: ByteReader
    /// The boxes of `meta`.
    private let boxes: ByteReader
    /// The item that is shown, and its number in the file.
    package let primary: Int
    package let primaryField: Range<Int>

    private static let fullHeader = 4

    /// Nil without a box with a primary item.
    package init?(_ file: ByteReader) {
        guard let boxes = file.box("meta"), let field = boxes.box("pitm", from: Self.fullHeader),
            let version = field.uint8(at: 0), let place = file.offset(of: field)
        else { return nil }
        (self.file, self.boxes) = (file, boxes)
        let length = version == 0 ? 2 : 4
        guard let primary = field.number(length, at: Self.fullHeader) else { return nil }
        self.primary = primary
        primaryField = place + Self.fullHeader..<place + Self.fullHeader + length
    }

    /// The identifiers and types of all items (`iinf`).
    package var types: [(item: Int, type: ByteReader)] {
        guard let list = boxes.box("iinf", from: Self.fullHeader), let version = list.uint8(at: 0) else {
            return []
        }
        return list.boxes("infe", from: version == 0 ? 6 : 8).compactMap { entry in
            let length = entry.uint8(at: 0) == 3 ? 4 : 2
            guard let item = entry.number(length, at: 4), let type = entry.slice(at: 6 + length, count: 4)
            else { return nil }
            return (item, type)
        }
    }

    /// The items of which `item` is derived (`iref` of type `dimg`), in order.
    package func inputs(of item: Int) -> [Int] {
        guard let list = boxes.box("iref", from: Self.fullHeader), let version = list.uint8(at: 0) else {
            return []
        }
        let length = version == 0 ? 2 : 4
        for entry in list.boxes("dimg", from: Self.fullHeader) where entry.number(length, at: 0) == item {
            let count = entry.uint16(at: length, bigEndian: true) ?? 0
            return (0..<min(count, ISOBox.maximumBoxes)).compactMap { index in
                entry.number(length, at: length + 2 + index * length)
            }
        }
        return []
    }

    /// The properties of all items (`ipco`).
    package func properties(_ type: StaticString) -> [ByteReader] {
        boxes.box("iprp", from: Self.fullHeader)?.box("ipco")?.boxes(type) ?? []
    }

    /// The bytes of an item (`iloc`) in one piece; nil for an item of several pieces or of another file.
    package func content(of item: Int) -> ByteReader? {
        guard let list = boxes.box("iloc", from: Self.fullHeader), let version = list.uint8(at: 0),
            version <= 2, let sizes = list.uint16(at: Self.fullHeader, bigEndian: true)
        else { return nil }
        func size(_ shift: Int) -> Int { sizes >> shift & 15 }
        let identifier = version == 2 ? 4 : 2
        var offset = Self.fullHeader + 2
        func next(_ length: Int) -> Int? {
            defer { offset += length }
            return length == 0 ? 0 : list.number(length, at: offset)
        }
        guard let count = next(identifier) else { return nil }
        for _ in 0..<min(count, ISOBox.maximumBoxes) {
            guard let own = next(identifier), let method = next(version == 0 ? 0 : 2), let other = next(2),
                let base = next(size(4)), let extents = next(2)
            else { return nil }
            let extent = (version == 0 ? 0 : size(0)) + size(12) + size(8)
            guard own == item else {
                offset += extents * extent
                continue
            }
            guard extents == 1, other == 0, next(version == 0 ? 0 : size(0)) != nil,
                let start = next(size(12)), let length = next(size(8))
            else { return nil }
            let (place, overflow) = base.addingReportingOverflow(start)
            let source = method & 15 == 1 ? boxes.box("idat", from: Self.fullHeader) : file
            return overflow ? nil : source?.slice(at: place, count: length)
        }
        return nil
    }
}

extension ByteReader {
    /// A number of 2, 4 or 8 bytes.
    fileprivate func number(_ length: Int, at offset: Int) -> Int? {
        switch length {
        case 2: uint16(at: offset, bigEndian: true)
        case 4: uint32(at: offset, bigEndian: true)
        case 8: uint64(at: offset)
        default: nil
        }
    }

    /// The offset in these bytes of a part of them.
    package func offset(of part: ByteReader) -> Int? {
        guard let start = bytes.baseAddress, let place = part.bytes.baseAddress else { return nil }
        return start.distance(to: place)
    }
}
