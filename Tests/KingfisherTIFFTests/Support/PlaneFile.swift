import Foundation

/// A TIFF file with a plane for each channel (TIFF 6.0, section 8: `PlanarConfiguration` 2), which tiffcp of
/// libtiff 4.5 writes for samples of 8 bits only.
struct PlaneFile {
    enum Kind: Int { case unsigned = 1, signed, float }

    let width: Int
    let height: Int
    /// The samples of each plane by rows, in the byte order of the file.
    let planes: [Data]
    let bits: Int
    var kind = Kind.unsigned
    /// 1 for greyscale, 2 for RGB, 5 for CMYK.
    var photometric = 2
    /// `ExtraSamples` of each plane that is no colour.
    var extra: [Int] = []
    /// The side of a tile; nil for strips of `rowsPerStrip`.
    var tile: (width: Int, height: Int)?
    var rowsPerStrip = 7
    var isBigEndian = false

    /// Planes of interleaved samples.
    static func planes<Sample: FixedWidthInteger>(
        of samples: [Sample], _ channels: Int, isBigEndian: Bool = false
    ) -> [Data] {
        (0..<channels).map { channel in
            stride(from: channel, to: samples.count, by: channels).reduce(into: Data()) { data, index in
                let value = isBigEndian ? samples[index].bigEndian : samples[index].littleEndian
                withUnsafeBytes(of: value) { data.append(contentsOf: $0) }
            }
        }
    }

    func data() -> Data {
        let pieces = planes.flatMap { tile == nil ? strips(of: $0) : tiles(of: $0) }
        let lengths = pieces.map(\.count)
        // Values that do not fit into the table are between it and the samples.
        let tags = fields.count + 2
        let table = 8 + 2 + 12 * tags + 4
        var values = Data()
        var entries: [(tag: Int, entry: Data)] = fields.map { field in
            (field.tag, entry(field.tag, field.values, isLong: false, table, &values))
        }
        let (offsetTag, lengthTag) = tile == nil ? (273, 279) : (324, 325)
        entries.append((lengthTag, entry(lengthTag, lengths, isLong: true, table, &values)))
        let room = pieces.count > 1 ? 4 * pieces.count : 0
        var start = table + values.count + room
        let offsets = lengths.map { length in
            defer { start += length }
            return start
        }
        entries.append((offsetTag, entry(offsetTag, offsets, isLong: true, table, &values)))
        let head = Data((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
        let directory = entries.sorted { $0.tag < $1.tag }.reduce(number(tags, 2)) { $0 + $1.entry }
        return head + directory + number(0, 4) + values + pieces.reduce(Data(), +)
    }

    private var fields: [(tag: Int, values: [Int])] {
        let each = Array(repeating: 1, count: planes.count)
        var fields = [
            (256, [width]), (257, [height]), (258, each.map { _ in bits }), (259, [1]), (262, [photometric]),
            (277, [planes.count]), (284, [2]), (339, each.map { _ in kind.rawValue }),
        ]
        if !extra.isEmpty { fields.append((338, extra)) }
        if let tile {
            fields += [(322, [tile.width]), (323, [tile.height])]
        } else {
            fields.append((278, [rowsPerStrip]))
        }
        return fields
    }

    private func entry(
        _ tag: Int, _ numbers: [Int], isLong: Bool, _ table: Int, _ values: inout Data
    ) -> Data {
        let size = isLong ? 4 : 2
        let content = numbers.reduce(Data()) { $0 + number($1, size) }
        let head = number(tag, 2) + number(isLong ? 4 : 3, 2) + number(numbers.count, 4)
        guard content.count > 4 else { return head + content + Data(count: 4 - content.count) }
        defer { values += content }
        return head + number(table + values.count, 4)
    }

    private func number(_ value: Int, _ count: Int) -> Data {
        let places = isBigEndian ? Array((0..<count).reversed()) : Array(0..<count)
        return Data(places.map { UInt8(value >> (8 * $0) & 255) })
    }

    private var rowBytes: Int { width * bits / 8 }

    private func strips(of plane: Data) -> [Data] {
        stride(from: 0, to: height, by: rowsPerStrip).map { y in
            plane[y * rowBytes..<min(y + rowsPerStrip, height) * rowBytes]
        }
    }

    /// Tiles are whole; what exceeds the image is white.
    private func tiles(of plane: Data) -> [Data] {
        guard let tile else { return [] }
        return stride(from: 0, to: height, by: tile.height).flatMap { top in
            stride(from: 0, to: width, by: tile.width).map { left in
                (top..<top + tile.height).reduce(into: Data()) { piece, y in
                    let shown = min(tile.width, width - left) * bits / 8
                    let start = y * rowBytes + left * bits / 8
                    if y < height { piece += plane[start..<start + shown] }
                    piece += Data(
                        repeating: 255, count: tile.width * bits / 8 - (y < height ? shown : 0))
                }
            }
        }
    }
}
