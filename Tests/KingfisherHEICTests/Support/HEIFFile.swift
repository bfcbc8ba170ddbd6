import Foundation
import KingfisherCodecSupport

/// A HEIF file of any items (ISO/IEC 23008-12), which heif-enc does not write, made from files that it
/// writes.
struct HEIFFile {
    struct Item {
        var type: String
        /// What follows the name in `infe`, such as a content type.
        var typeSuffix = ""
        var data = Data()
        /// Whether the data is in `idat`, as phones write the shape of a grid.
        var usesItemData = false
        var properties: [Data] = []
        /// heif-convert writes each image that is not hidden.
        var isHidden = false

        /// The image of a file of heif-enc. `size` is what it has coded: small images are padded.
        static func coded(
            _ file: Data, _ size: (width: Int, height: Int), _ properties: [Data] = [],
            isHidden: Bool = false
        ) throws -> Item {
            let configuration = box("hvcC", try content("hvcC", of: file))
            return Item(
                type: "hvc1", data: try content("mdat", of: file),
                properties: [configuration, extent(size)] + properties, isHidden: isHidden)
        }
    }

    /// Their numbers begin at 1.
    var items: [Item] = []
    var references: [(type: String, from: Int, to: [Int])] = []
    var primary = 1

    /// Adds an item and returns its number.
    @discardableResult
    mutating func add(_ item: Item) -> Int {
        items.append(item)
        return items.count
    }

    mutating func refer(_ type: String, from item: Int, to others: [Int]) {
        references.append((type, item, others))
    }

    func data() -> Data {
        let brands = Self.box("ftyp", Data("heic\0\0\0\0mif1heic".utf8))
        let start = brands.count + meta(0).count + 8
        let samples = items.filter { !$0.usesItemData }.map(\.data).reduce(Data(), +)
        return brands + meta(start) + Self.box("mdat", samples)
    }

    private func meta(_ start: Int) -> Data {
        let infos = items.enumerated().map { number, item in
            Self.box(
                "infe",
                Data([2, 0, 0, item.isHidden ? 1 : 0]) + Self.u16(number + 1) + Self.u16(0)
                    + Data("\(item.type)\0\(item.typeSuffix)".utf8))
        }
        let table = references.map {
            Self.box($0.type, ([$0.from, $0.to.count] + $0.to).map(Self.u16).reduce(Data(), +))
        }
        let itemData = items.filter(\.usesItemData).map(\.data).reduce(Data(), +)
        var content =
            Self.full("hdlr", Data("\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0".utf8))
            + Self.full("pitm", Self.u16(primary)) + locations(start)
            + Self.full("iinf", Self.u16(items.count) + infos.reduce(Data(), +))
        if !table.isEmpty { content += Self.full("iref", table.reduce(Data(), +)) }
        content += itemProperties()
        return Self.full("meta", itemData.isEmpty ? content : content + Self.box("idat", itemData))
    }

    /// Items in one piece; those without data have no location.
    private func locations(_ start: Int) -> Data {
        var (offset, place, found) = (start, 0, [Data]())
        for (number, item) in items.enumerated() where !item.data.isEmpty {
            found.append(
                Self.u16(number + 1) + Self.u16(item.usesItemData ? 1 : 0) + Self.u16(0) + Self.u16(1)
                    + Self.u32(item.usesItemData ? place : offset) + Self.u32(item.data.count))
            if item.usesItemData { place += item.data.count } else { offset += item.data.count }
        }
        return Self.box(
            "iloc", Data([1, 0, 0, 0, 0x44, 0]) + Self.u16(found.count) + found.reduce(Data(), +))
    }

    /// Properties in one list, and the numbers of those of each item.
    private func itemProperties() -> Data {
        var list: [Data] = []
        let associations = items.enumerated().map { number, item in
            let numbers = item.properties.map { property -> UInt8 in
                if !list.contains(property) { list.append(property) }
                let essential = ["hvcC", "irot", "imir", "clap"].map { Data($0.utf8) }
                return UInt8((list.firstIndex(of: property) ?? 0) + 1)
                    | (essential.contains(property[4..<8]) ? 0x80 : 0)
            }
            return Self.u16(number + 1) + Data([UInt8(numbers.count)]) + Data(numbers)
        }
        return Self.box(
            "iprp",
            Self.box("ipco", list.reduce(Data(), +))
                + Self.full("ipma", Self.u32(associations.count) + associations.reduce(Data(), +)))
    }

    // MARK: Boxes

    static func box(_ type: String, _ content: Data) -> Data {
        u32(8 + content.count) + Data(type.utf8) + content
    }

    static func full(_ type: String, _ content: Data) -> Data { box(type, Data(count: 4) + content) }

    static func extent(_ size: (width: Int, height: Int)) -> Data {
        full("ispe", u32(size.width) + u32(size.height))
    }

    static func rotation(_ quarters: UInt8) -> Data { box("irot", Data([quarters])) }
    static func mirror(_ axis: UInt8) -> Data { box("imir", Data([axis])) }

    /// `clap` with whole numbers: size, and the distance of the centres.
    static func crop(_ width: Int, _ height: Int, _ x: Int, _ y: Int) -> Data {
        box("clap", [width, 1, height, 1, x, 1, y, 1].map(u32).reduce(Data(), +))
    }

    static func codePoints(_ primaries: UInt8, _ transfer: UInt8 = 13, matrix: UInt8 = 6) -> Data {
        box("colr", Data("nclx".utf8) + Data([0, primaries, 0, transfer, 0, matrix, 0x80]))
    }

    static func profile(_ profile: Data) -> Data { box("colr", Data("prof".utf8) + profile) }

    static let alpha = full("auxC", Data("urn:mpeg:hevc:2015:auxid:1\0".utf8))

    static func u16(_ value: Int) -> Data { Data([UInt8(value >> 8 & 255), UInt8(value & 255)]) }
    static func u32(_ value: Int) -> Data { u16(value >> 16) + u16(value) }

    /// The content of the first box of a type.
    static func content(_ type: String, of file: Data) throws -> Data {
        guard let found = file.firstRange(of: Data(type.utf8)), found.lowerBound >= 4 else {
            throw CocoaError(.fileReadCorruptFile)
        }
        let start = found.lowerBound - 4
        let length = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        return Data(file[start + 8..<start + length])
    }
}
