extension Collection<UInt8> {
    /// The bytes with `%XX` decoded. A percent sign without two hexadecimal digits stays.
    var percentDecoded: [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(count)
        var rest = self[...]
        while let byte = rest.popFirst() {
            let digits = byte == UInt8(ascii: "%") ? rest.prefix(2).compactMap(Self.hexDigit) : []
            if digits.count == 2 {
                result.append(digits[0] << 4 | digits[1])
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
