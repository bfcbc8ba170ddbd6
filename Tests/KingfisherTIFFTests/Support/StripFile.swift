import Foundation

/// A TIFF file of strips, little-endian (TIFF 6.0, section 2), not compressed or by PackBits (section 9).
struct StripFile {
    /// Numbers of 16 bits, without the compression and the places of the strips.
    let fields: [(tag: Int, values: [Int])]
    let strips: [Data]
    /// The bytes of a row, each of which PackBits codes apart; nil without compression.
    let packedRowBytes: Int?

    var data: Data {
        let stored = packedRowBytes.map { bytes in strips.map { Self.packed($0, bytes) } } ?? strips
        var body = Data()
        let offsets = stored.map { strip in
            defer { body += strip + Data(count: strip.count % 2) }
            return 8 + body.count
        }
        let places: [(tag: Int, values: [Int])] = [
            (259, [packedRowBytes == nil ? 1 : 32_773]), (273, offsets), (279, stored.map(\.count)),
        ]
        let all = (fields + places).sorted { $0.tag < $1.tag }
        let table = 8 + body.count
        var values = Data()
        var entries = Self.number(all.count, 2)
        for field in all {
            let isLong = field.tag == 273 || field.tag == 279
            let content = field.values.reduce(Data()) { $0 + Self.number($1, isLong ? 4 : 2) }
            let head = [(field.tag, 2), (isLong ? 4 : 3, 2), (field.values.count, 4)]
            entries += head.reduce(Data()) { $0 + Self.number($1.0, $1.1) }
            if content.count > 4 {
                entries += Self.number(table + 2 + 12 * all.count + 4 + values.count, 4)
                values += content
            } else {
                entries += content + Data(count: 4 - content.count)
            }
        }
        let head = Data("II".utf8) + Self.number(42, 2) + Self.number(table, 4)
        return head + body + entries + Self.number(0, 4) + values
    }

    /// Literal runs only.
    private static func packed(_ strip: Data, _ rowBytes: Int) -> Data {
        let bytes = [UInt8](strip)
        var data = Data()
        for row in stride(from: 0, to: bytes.count, by: rowBytes) {
            for start in stride(from: row, to: row + rowBytes, by: 128) {
                let run = bytes[start..<min(start + 128, row + rowBytes)]
                data.append(UInt8(run.count - 1))
                data += run
            }
        }
        return data
    }

    private static func number(_ value: Int, _ count: Int) -> Data {
        Data((0..<count).map { UInt8(value >> (8 * $0) & 255) })
    }
}
