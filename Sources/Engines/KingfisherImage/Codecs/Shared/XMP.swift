/// The orientation from XMP metadata (ISO 16684-1), a TIFF property.
enum XMP {
    static func orientation(in packet: ByteReader) -> Image.Orientation? {
        var offset = 0
        while let found = packet.offset(of: UInt8(ascii: "t"), from: offset) {
            offset = found + 1
            guard packet.has("tiff:Orientation", at: found) else { continue }
            var place = found + "tiff:Orientation".utf8.count
            // `="6"` or `>6<`, with the white space that XML allows.
            while let byte = packet.uint8(at: place), separators.contains(UInt8(byte)) { place += 1 }
            guard let digit = packet.uint8(at: place), packet.uint8(at: place + 1).map(isDigit) != true,
                let value = Image.Orientation(exif: digit - Int(UInt8(ascii: "0")))
            else { continue }
            return value
        }
        return nil
    }

    private static let separators = Set(" \t\r\n=>\"'".utf8)

    private static func isDigit(_ byte: Int) -> Bool {
        (Int(UInt8(ascii: "0"))...Int(UInt8(ascii: "9"))).contains(byte)
    }
}
