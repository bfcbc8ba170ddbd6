package import KingfisherCodecSupport

/// The items of a file of images, and what refers to them (`meta`: ISO/IEC 14496-12, 8.11), as far as gain
/// maps need.
package struct ISOItems {
    /// The most items of a file that are read.
    package static let maximumItems = 65_536

    /// The boxes of `meta`.
    private let boxes: ByteReader
    /// The item that is shown, and its number in the file.
    package let primary: Int
    package let primaryField: Range<Int>
    private let contents: [Int: ByteReader]

    private static let fullHeader = 4

    /// Nil without a box with a primary item.
    package init?(_ file: ByteReader) {
        guard let boxes = file.box("meta"), let field = boxes.box("pitm", from: Self.fullHeader),
            let version = field.uint8(at: 0), let place = file.offset(of: field)
        else { return nil }
        (self.boxes, contents) = (boxes, boxes.itemContents(in: file))
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

    /// The bytes of an item; nil for an item of several pieces.
    package func content(of item: Int) -> ByteReader? { contents[item] }
}

extension ByteReader {
    /// A number of 2 or 4 bytes.
    fileprivate func number(_ length: Int, at offset: Int) -> Int? {
        length == 2 ? uint16(at: offset, bigEndian: true) : uint32(at: offset, bigEndian: true)
    }

    /// The offset in these bytes of a part of them.
    package func offset(of part: ByteReader) -> Int? {
        guard let start = bytes.baseAddress, let place = part.bytes.baseAddress else { return nil }
        return start.distance(to: place)
    }
}
