import KingfisherCodecSupport
import KingfisherISOBoxes

extension HEICFile {
    /// The box `meta` of a file that has nothing but an image and those that it is derived from, without its
    /// transformations, so that libheif does with it the same in all versions.
    ///
    /// libheif 1.15 turns alpha also if transformations are to be ignored, and refuses files with items
    /// without data, such as `iden`.
    func items(of image: Int) -> [UInt8] {
        let wanted = parts(of: image).union([image]).sorted()
        var content = Array(meta.bytes.prefix(4))
        meta.eachBox(from: 4) { box in
            if box.has("pitm") {
                content += Self.box("pitm", [1, 0, 0, 0] + Self.uint32(image))
            } else if box.has("iinf") {
                content += Self.box("iinf", entries(of: wanted, primary: image))
            } else if box.has("iref") {
                content += Self.box("iref", references(of: Set(wanted), in: box))
            } else if box.has("iprp") {
                content += Self.box("iprp", properties(of: wanted, primary: image, in: box))
            } else {
                content += Self.bytes(of: box)
            }
            return true
        }
        return Self.box("meta", content)
    }

    private func entries(of items: [Int], primary: Int) -> [UInt8] {
        let found = items.compactMap { item -> [UInt8]? in
            guard let entry = entries[item] else { return nil }
            var content = Array(entry.bytes)
            // The primary image must not be hidden (ISO/IEC 23008-12, 6.4.2).
            if item == primary { content[3] &= 0xFE }
            return Self.box("infe", content)
        }
        let head: [UInt8] = [1, 0, 0, 0]
        return head + Self.uint32(found.count) + found.flatMap { $0 }
    }

    private func references(of items: Set<Int>, in table: ISOBox) -> [UInt8] {
        let found = references.filter {
            let isWithin = items.contains($0.from) && items.isSuperset(of: $0.to)
            return isWithin && ($0.box.has("dimg") || $0.box.has("auxl"))
        }
        let head = table.content.map { Array($0.bytes.prefix(4)) } ?? []
        return head + found.flatMap { Self.bytes(of: $0.box) }
    }

    private func properties(of items: [Int], primary: Int, in table: ISOBox) -> [UInt8] {
        let found = items.map { item -> [UInt8] in
            let numbers = associations(of: item).compactMap { association, box -> [UInt8]? in
                guard item != primary || !Self.isTransformation(box) else { return nil }
                let number = association.property | (association.isEssential ? 0x8000 : 0)
                return Array(Self.uint32(number).suffix(2))
            }
            let count = UInt8(min(numbers.count, 255))
            return Self.uint32(item) + [count] + numbers.prefix(255).flatMap { $0 }
        }
        var content: [UInt8] = []
        table.content?.eachBox { box in
            if box.has("ipco") { content += Self.bytes(of: box) }
            return content.isEmpty
        }
        let head: [UInt8] = [1, 0, 0, 1]
        return content + Self.box("ipma", head + Self.uint32(found.count) + found.flatMap { $0 })
    }

    private static func bytes(of box: ISOBox) -> [UInt8] {
        box.reader.slice(at: box.offset, count: box.length).map { Array($0.bytes) } ?? []
    }

    static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        uint32(8 + content.count) + Array(type.utf8) + content
    }

    /// Big endian. Boxes and numbers that are written here have at most 32 bits.
    static func uint32(_ value: Int) -> [UInt8] {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: value).bigEndian) { Array($0) }
    }
}
