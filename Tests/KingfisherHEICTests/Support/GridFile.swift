import Foundation

/// A file with a grid (ISO/IEC 23008-12, 6.6.2.3), which heif-enc of libheif 1.15 does not write.
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
    /// A file with the thumbnail, its size and its properties.
    var thumbnail: (file: Data, width: Int, height: Int, properties: [Data])?
    /// Whether the shape of the grid is in `idat`, as phones write it.
    var usesItemData = false

    func data() throws -> Data { try file().data() }

    /// The cells, the grid, which is the primary image, and the thumbnail.
    func file() throws -> HEIFFile {
        var file = HEIFFile()
        let cellNumbers = try cells.map {
            file.add(try .coded($0, cell, cellProperties, isHidden: true))
        }
        let shape = Data([0, 0, UInt8(cells.count / columns - 1), UInt8(columns - 1)])
        file.primary = file.add(
            HEIFFile.Item(
                type: "grid", data: shape + HEIFFile.u16(size.width) + HEIFFile.u16(size.height),
                usesItemData: usesItemData, properties: [HEIFFile.extent(size)] + properties))
        file.refer("dimg", from: file.primary, to: cellNumbers)
        if let thumbnail {
            let number = file.add(
                try .coded(
                    thumbnail.file, (thumbnail.width, thumbnail.height), thumbnail.properties, isHidden: true)
            )
            file.refer("thmb", from: number, to: [file.primary])
        }
        return file
    }
}
