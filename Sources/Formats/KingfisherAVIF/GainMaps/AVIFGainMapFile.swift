import Foundation
import KingfisherCodecSupport
import KingfisherISOBoxes

/// A still with a gain map, joined from the files of both as libavif's encoder writes them: version 0 of all
/// boxes, each item in one piece, and no grids.
///
/// The third item, `tmap`, is derived from both and has the parameters. It has the colours of the base
/// image, with PQ. It is preferred to the base image (`altr`: ISO/IEC 23008-12, 6.8), which readers without
/// gain maps show.
struct AVIFGainMapFile {
    let data: Data

    /// Nil for files of another structure.
    init?(base: ByteReader, map: ByteReader, _ parameters: GainMapParameters) {
        guard AVIFGainMap(in: base) == nil, let base = Still(base), let map = Still(map),
            map.items.count == 1,
            let highest = base.items.map(\.item).max(), highest < Int(UInt16.max) - 2,
            let sizes = base.position(of: "ispe"), let depths = base.position(of: "pixi")
        else { return nil }
        let (gainMap, derived) = (highest + 1, highest + 2)
        let colors = base.properties.count + map.properties.count + 1
        guard colors < 128 else { return nil }

        let contents =
            base.items.map { ($0.item, $0.content) }
            + [(gainMap, map.items[0].content), (derived, [0] + [UInt8](parameters.bytes))]
        let entries =
            base.entries + [
                Self.entry(gainMap, "av01", "GMap", isHidden: true),
                Self.entry(derived, "tmap", "", isHidden: false),
            ]
        let derivation = Self.two(derived) + Self.two(2) + Self.two(base.primary) + Self.two(gainMap)
        let properties =
            base.properties + map.properties
            + [Self.box("colr", Array("nclx".utf8) + Self.two(1) + Self.two(16) + Self.two(6) + [0x80])]
        let shifted = map.items[0].associations.map { $0 + UInt8(base.properties.count) }
        let associations =
            base.items.map { ($0.item, $0.associations) } + [
                (gainMap, shifted), (derived, [UInt8(sizes), UInt8(depths), UInt8(colors)]),
            ]
        let group = Self.four(derived + 1) + Self.four(2) + Self.four(derived) + Self.four(base.primary)

        let boxes =
            Self.full("iinf", Self.two(entries.count) + entries.joined())
            + Self.full("iref", base.references + Self.box("dimg", derivation))
            + Self.box(
                "iprp",
                Self.box("ipco", Array(properties.joined()))
                    + Self.full("ipma", Self.four(associations.count) + Self.bytes(of: associations)))
            + Self.box("grpl", Self.full("altr", group))
        data = Self.file(base, contents, boxes)
    }

    /// `boxes` are the boxes of `meta` after the places of the items.
    private static func file(
        _ base: Still, _ contents: [(item: Int, bytes: [UInt8])], _ boxes: [UInt8]
    ) -> Data {
        func meta(_ offset: Int) -> [UInt8] {
            full("meta", base.handler + base.primaryBox + locations(contents, from: offset) + boxes)
        }
        let head = box("ftyp", base.start + Array("tmap".utf8))
        let offset = head.count + meta(0).count + 8
        return Data(head + meta(offset) + box("mdat", contents.flatMap(\.bytes)))
    }

    private static func bytes(of associations: [(item: Int, properties: [UInt8])]) -> [UInt8] {
        associations.flatMap { two($0.item) + [UInt8($0.properties.count)] + $0.properties }
    }

    private static func locations(_ contents: [(item: Int, bytes: [UInt8])], from start: Int) -> [UInt8] {
        var (offset, list) = (start, [0x44, 0] + two(contents.count))
        for (item, bytes) in contents {
            list += two(item) + two(0) + two(1) + four(offset) + four(bytes.count)
            offset += bytes.count
        }
        return full("iloc", list)
    }

    private static func entry(_ item: Int, _ type: String, _ name: String, isHidden: Bool) -> [UInt8] {
        box(
            "infe",
            [2, 0, 0, isHidden ? 1 : 0] + two(item) + two(0) + Array(type.utf8) + Array(name.utf8) + [0])
    }

    private static func full(_ type: String, _ content: [UInt8]) -> [UInt8] { box(type, four(0) + content) }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        four(content.count + 8) + Array(type.utf8) + content
    }

    private static func two(_ number: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }

    private static func four(_ number: Int) -> [UInt8] { two(number >> 16) + two(number) }
}

/// The parts of a file of libavif's encoder.
private struct Still {
    struct Item {
        let item: Int
        let content: [UInt8]
        /// Positions of properties from 1, with the bit of essential ones.
        let associations: [UInt8]
    }

    private(set) var items: [Item] = []
    private(set) var entries: [[UInt8]] = []
    private(set) var properties: [[UInt8]] = []
    let primary: Int
    let start, handler, primaryBox, references: [UInt8]

    init?(_ file: ByteReader) {
        guard let found = ISOItems(file), let start = file.box("ftyp"), file.box("moov") == nil,
            let meta = file.box("meta"), let handler = Self.whole("hdlr", in: meta, from: 4),
            let primaryBox = Self.whole("pitm", in: meta, from: 4), let list = meta.box("iinf", from: 4),
            let iprp = meta.box("iprp", from: 4), let ipco = iprp.box("ipco"), let ipma = iprp.box("ipma"),
            ipma.uint32(at: 0, bigEndian: true) == 0, list.uint8(at: 0) == 0, found.primaryField.count == 2
        else { return nil }
        primary = found.primary
        (self.start, self.handler, self.primaryBox) = (Array(start.bytes), handler, primaryBox)
        references = meta.box("iref", from: 4).map { Array($0.bytes.dropFirst(4)) } ?? []
        ipco.eachBox { box in
            properties += [Self.bytes(of: box)].compactMap(\.self)
            return properties.count < 128
        }
        list.eachBox(from: 6) { box in
            entries += [Self.bytes(of: box)].compactMap(\.self)
            return entries.count < 128
        }
        var offset = 8
        for _ in 0..<(ipma.uint32(at: 4, bigEndian: true) ?? 0) {
            guard let item = ipma.uint16(at: offset, bigEndian: true), let count = ipma.uint8(at: offset + 2),
                let associations = ipma.slice(at: offset + 3, count: count),
                let content = found.content(of: item)
            else { return nil }
            items.append(
                Item(item: item, content: Array(content.bytes), associations: Array(associations.bytes)))
            offset += 3 + count
        }
        guard !items.isEmpty, items.count == entries.count else { return nil }
    }

    /// The position from 1 of the primary item's property.
    func position(of type: String) -> Int? {
        let own = items.first { $0.item == primary }?.associations ?? []
        return own.map { Int($0 & 0x7F) }.first { position in
            properties.indices.contains(position - 1)
                && properties[position - 1].dropFirst(4).starts(with: type.utf8)
        }
    }

    private static func whole(_ type: StaticString, in reader: ByteReader, from offset: Int) -> [UInt8]? {
        var found: [UInt8]?
        reader.eachBox(from: offset) { box in
            if box.has(type) { found = bytes(of: box) }
            return found == nil
        }
        return found
    }

    private static func bytes(of box: ISOBox) -> [UInt8]? {
        box.reader.slice(at: box.offset, count: box.length).map { Array($0.bytes) }
    }
}
