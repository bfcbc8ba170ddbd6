import Foundation

/// A BMP file that tests write field by field.
struct BitmapFile {
    var signature = "BM"
    /// The offset of the pixels in the file header; nil for the right one.
    var pixelOffset: Int?
    var headerBytes = 40
    var width = 4
    var height = 3
    var planes = 1
    var bits = 24
    var compression = 0
    var colorCount = 0
    /// What follows the 40 bytes of INFO.
    var rest = Data()
    var palette = Data()
    var body = Data()

    /// An image of rows without padding, `width` x `height` pixels of 24 bits.
    init(width: Int = 4, height: Int = 3, body: Data? = nil) {
        (self.width, self.height) = (width, height)
        let stride = (abs(width) * 3 + 3) / 4 * 4
        let count = min(stride * abs(height), 1 << 20)
        self.body = body ?? Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) })
    }

    /// Run lengths of 8 or 4 bits; the colour of the index i is (i, i, i).
    static func runs(_ codes: [UInt8], width: Int = 4, height: Int = 3, bits: Int = 8) -> BitmapFile {
        var file = BitmapFile(width: width, height: height, body: Data(codes))
        (file.bits, file.compression) = (bits, bits == 8 ? 1 : 2)
        file.palette = Data((0..<1 << bits).flatMap { [UInt8($0), UInt8($0), UInt8($0), 0] })
        return file
    }

    var bitmap: Data {
        var header = Data()
        for number in [headerBytes, width, height] { header.append(number, 4) }
        header.append(planes, 2)
        header.append(bits, 2)
        for number in [compression, 0, 0, 0, colorCount, 0] { header.append(number, 4) }
        return header + rest + palette + body
    }

    var data: Data {
        var file = Data(signature.utf8)
        file.append(14 + bitmap.count, 4)
        file.append(0, 4)
        file.append(pixelOffset ?? 14 + bitmap.count - body.count, 4)
        return file + bitmap
    }
}

extension Data {
    mutating func append(_ number: Int, _ bytes: Int) {
        for index in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
