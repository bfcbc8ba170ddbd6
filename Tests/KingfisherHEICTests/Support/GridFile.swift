import Foundation

/// A HEIF file with a grid, which heif-enc of libheif 1.15 does not write (ISO/IEC 23008-12, 6.6.2.3), made
/// from files that it writes.
struct GridFile {
    /// Files of one image each, by rows.
    let cells: [Data]
    let columns: Int
    let cell: (width: Int, height: Int)
    /// The size of the image, which the last cells may exceed.
    let size: (width: Int, height: Int)
    /// Properties after the size, such as `irot`.
    var properties: [Data] = []

    func data() throws -> Data {
        let samples = try cells.map { try Self.content("mdat", of: $0) }
        let grid =
            Data([0, 0, UInt8(cells.count / columns - 1), UInt8(columns - 1)]) + Self.u16(size.width)
            + Self.u16(size.height)
        let cellIDs = 1...cells.count
        let gridID = cells.count + 1
        let infos = cellIDs.map { Self.info($0, "hvc1") } + [Self.info(gridID, "grid")]
        let items = [
            Self.box("hvcC", try Self.content("hvcC", of: cells[0])), Self.extent(cell), Self.extent(size),
        ]
        let ofGrid = [3] + properties.indices.map { $0 + 4 }
        let associations =
            cellIDs.map { Self.u16($0) + Data([2, 0x81, 2]) }
            + [Self.u16(gridID) + Data([UInt8(ofGrid.count)]) + Data(ofGrid.map { UInt8($0) })]
        let references = Self.box(
            "dimg", Self.u16(gridID) + Self.u16(cells.count) + cellIDs.map(Self.u16).reduce(Data(), +))
        let brands = Self.box("ftyp", Data("heic\0\0\0\0mif1heic".utf8))
        func meta(_ start: Int) -> Data {
            var offset = start
            var locations = Data()
            for (number, sample) in (samples + [grid]).enumerated() {
                locations += Self.u16(number + 1) + Self.u16(0) + Self.u16(1) + Self.u32(offset)
                locations += Self.u32(sample.count)
                offset += sample.count
            }
            let parts = [
                Self.full("hdlr", Data("\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0".utf8)),
                Self.full("pitm", Self.u16(gridID)),
                Self.full("iloc", Data([0x44, 0]) + Self.u16(gridID) + locations),
                Self.full("iinf", Self.u16(gridID) + infos.reduce(Data(), +)),
                Self.full("iref", references),
                Self.box(
                    "iprp",
                    Self.box("ipco", (items + properties).reduce(Data(), +))
                        + Self.full("ipma", Self.u32(gridID) + associations.reduce(Data(), +))),
            ]
            return Self.full("meta", parts.reduce(Data(), +))
        }
        let start = brands.count + meta(0).count + 8
        return brands + meta(start) + Self.box("mdat", (samples + [grid]).reduce(Data(), +))
    }

    static func box(_ type: String, _ content: Data) -> Data {
        u32(8 + content.count) + Data(type.utf8) + content
    }

    static func full(_ type: String, _ content: Data) -> Data { box(type, Data(count: 4) + content) }

    /// Cells are hidden, or heif-convert writes each of them.
    private static func info(_ id: Int, _ type: String) -> Data {
        box("infe", Data([2, 0, 0, type == "grid" ? 0 : 1]) + u16(id) + u16(0) + Data("\(type)\0".utf8))
    }

    private static func extent(_ size: (width: Int, height: Int)) -> Data {
        full("ispe", u32(size.width) + u32(size.height))
    }

    private static func u16(_ value: Int) -> Data { Data([UInt8(value >> 8 & 255), UInt8(value & 255)]) }
    private static func u32(_ value: Int) -> Data { u16(value >> 16) + u16(value) }

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
