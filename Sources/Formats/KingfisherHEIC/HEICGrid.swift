import Foundation
import KingfisherCodecSupport
import KingfisherISOBoxes

/// A grid of coded images of one size (ISO/IEC 23008-12, 6.6.2.3), as phones write photographs, whose cells
/// are decoded one after another without libheif, so that the image is never in memory as a whole.
struct HEICGrid {
    let columns: Int
    let cell: PixelSize
    /// The bitstreams by rows.
    let cells: [ByteReader]
    /// The parameter sets of all cells, each after its length.
    let parameterSets: Data
    /// The code points of the cells, which take precedence over the code points in their bitstreams.
    let codePoints: ImageMetadata.CodePoints?

    /// Nil for other images, and for grids that are left to libheif: cells with transformations or
    /// of different kinds, and files in an unusual order.
    init?(_ item: Int, of file: HEICFile, size: PixelSize) {
        guard file.has("grid", item) else { return nil }
        let locations = file.meta.itemContents(in: file.reader)
        let inputs = file.inputs(of: item)
        guard let head = locations[item], let shape = Shape(head), shape.size == size,
            inputs.count == shape.rows * shape.columns, let first = inputs.first,
            let cell = file.size(of: first), !cell.isEmpty,
            Self.covers(size.width, shape.columns, cell.width),
            Self.covers(size.height, shape.rows, cell.height),
            let configuration = file.property("hvcC", of: first),
            let sets = HEICParameterSets(configuration), sets.lengthBytes == 4
        else { return nil }
        var cells: [ByteReader] = []
        for input in inputs {
            guard file.has("hvc1", input), file.size(of: input) == cell,
                file.transformations(of: input).isEmpty,
                file.property("hvcC", of: input)?.bytes.elementsEqual(configuration.bytes) == true,
                let content = locations[input]
            else { return nil }
            cells.append(content)
        }
        (columns, self.cell, self.cells, parameterSets) = (shape.columns, cell, cells, sets.data)
        codePoints = file.codePoints(of: first)
    }

    /// Whether cells cover a side, and each begins within it.
    private static func covers(_ side: Int, _ count: Int, _ cell: Int) -> Bool {
        cell * count >= side && cell * (count - 1) < side
    }

    func origin(of number: Int) -> (x: Int, y: Int) {
        let (row, column) = number.quotientAndRemainder(dividingBy: columns)
        return (column * cell.width, row * cell.height)
    }

    private struct Shape {
        let rows: Int
        let columns: Int
        let size: PixelSize

        init?(_ head: ByteReader) {
            guard head.uint8(at: 0) == 0, let flags = head.uint8(at: 1), let rows = head.uint8(at: 2),
                let columns = head.uint8(at: 3)
            else { return nil }
            func side(_ index: Int) -> Int? {
                flags & 1 == 1
                    ? head.uint32(at: 4 + 4 * index, bigEndian: true)
                    : head.uint16(at: 4 + 2 * index, bigEndian: true)
            }
            guard let width = side(0), let height = side(1) else { return nil }
            (self.rows, self.columns) = (rows + 1, columns + 1)
            size = PixelSize(width: width, height: height)
        }
    }
}
