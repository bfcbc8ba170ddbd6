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
    /// Properties of each cell.
    var cellProperties: [Data] = []
    /// A file with the thumbnail, and its size.
    var thumbnail: (file: Data, width: Int, height: Int)?
    /// Whether the shape of the grid is in `idat`, as phones write it.
    var usesItemData = false

    private var gridID: Int { cells.count + 1 }
    private var cellIDs: ClosedRange<Int> { 1...cells.count }

    func data() throws -> Data {
        let shape =
            Data([0, 0, UInt8(cells.count / columns - 1), UInt8(columns - 1)]) + Self.u16(size.width)
            + Self.u16(size.height)
        var samples = try cells.map { try Self.content("mdat", of: $0) }
        if !usesItemData { samples.append(shape) }
        if let thumbnail { samples.append(try Self.content("mdat", of: thumbnail.file)) }
        let brands = Self.box("ftyp", Data("heic\0\0\0\0mif1heic".utf8))
        let start = try brands.count + meta(samples, shape, 0).count + 8
        return try brands + meta(samples, shape, start) + Self.box("mdat", samples.reduce(Data(), +))
    }

    private func meta(_ samples: [Data], _ shape: Data, _ start: Int) throws -> Data {
        var (offset, locations) = (start, Data())
        for (number, sample) in samples.enumerated() {
            let id = usesItemData && number + 1 >= gridID ? number + 2 : number + 1
            locations += Self.location(id, 0, offset, sample.count)
            offset += sample.count
        }
        if usesItemData { locations += Self.location(gridID, 1, 0, shape.count) }
        let count = gridID + (thumbnail == nil ? 0 : 1)
        let infos = cellIDs.map { Self.info($0, "hvc1") } + [Self.info(gridID, "grid")]
        let small = thumbnail == nil ? Data() : Self.info(count, "hvc1")
        let cellsOfGrid = cellIDs.map(Self.u16).reduce(Self.u16(gridID) + Self.u16(cells.count), +)
        var references = Self.box("dimg", cellsOfGrid)
        if thumbnail != nil {
            references += Self.box("thmb", Self.u16(count) + Self.u16(1) + Self.u16(gridID))
        }
        let parts = try [
            Self.full("hdlr", Data("\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0".utf8)),
            Self.full("pitm", Self.u16(gridID)),
            Self.box("iloc", Data([1, 0, 0, 0, 0x44, 0]) + Self.u16(count) + locations),
            Self.full("iinf", Self.u16(count) + infos.reduce(Data(), +) + small),
            Self.full("iref", references), itemProperties(),
        ]
        return Self.full("meta", parts.reduce(Data(), +) + (usesItemData ? Self.box("idat", shape) : Data()))
    }

    /// Properties in one list, and the numbers of those of each item.
    private func itemProperties() throws -> Data {
        var list = [Self.box("hvcC", try Self.content("hvcC", of: cells[0])), Self.extent(cell)]
        let ofCell = [1, 2] + cellProperties.indices.map { list.count + 1 + $0 }
        list += cellProperties
        let ofGrid = (0...properties.count).map { list.count + 1 + $0 }
        list += [Self.extent(size)] + properties
        var associations = cellIDs.map { Self.association($0, ofCell) } + [Self.association(gridID, ofGrid)]
        if let thumbnail {
            associations.append(Self.association(gridID + 1, [list.count + 1, list.count + 2]))
            list.append(Self.box("hvcC", try Self.content("hvcC", of: thumbnail.file)))
            list.append(Self.extent((thumbnail.width, thumbnail.height)))
        }
        return Self.box(
            "iprp",
            Self.box("ipco", list.reduce(Data(), +))
                + Self.full("ipma", Self.u32(associations.count) + associations.reduce(Data(), +)))
    }

    private static func association(_ id: Int, _ properties: [Int]) -> Data {
        u16(id) + Data([UInt8(properties.count)]) + Data(properties.map { UInt8($0) })
    }

    /// An item in one piece; `method` 1 is `idat`.
    private static func location(_ id: Int, _ method: Int, _ offset: Int, _ length: Int) -> Data {
        u16(id) + u16(method) + u16(0) + u16(1) + u32(offset) + u32(length)
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
