import KingfisherCodecSupport

/// Decimal numbers between white space and comments, which begin with `#` and last until the end of a line.
struct PNMNumbers {
    private let reader: ByteReader
    /// Behind the single white space that ends the last number.
    private(set) var offset: Int

    static let comment = 0x23
    private static let largest = Int(Int32.max)

    init(_ reader: ByteReader, at offset: Int) {
        self.reader = reader
        self.offset = offset
    }

    static func isSpace(_ byte: Int) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    static func isDigit(_ byte: Int) -> Bool { (0x30...0x39).contains(byte) }

    /// The next byte; a comment counts as the line break that ends it. Nil at the end of the bytes.
    private mutating func byte() -> Int? {
        guard let first = reader.uint8(at: offset) else { return nil }
        offset += 1
        guard first == Self.comment else { return first }
        while let next = reader.uint8(at: offset) {
            offset += 1
            if next == 0x0A || next == 0x0D { return next }
        }
        return nil
    }

    /// The next number, at most 2,147,483,647, and the white space that ends it. Only the last number of a
    /// file may end with the bytes: in a header, its other digits are missing.
    mutating func next(mayBeLast: Bool) throws(ImageCodecError) -> Int {
        var found = byte()
        while let space = found, Self.isSpace(space) { found = byte() }
        guard var digit = found else { throw .truncated }
        var number = 0
        while true {
            guard Self.isDigit(digit) else { throw .corrupt("no number at byte \(offset - 1)") }
            number = number * 10 + digit - 0x30
            guard number <= Self.largest else { throw .corrupt("a number that is too large") }
            guard let next = byte() else {
                guard mayBeLast else { throw .truncated }
                return number
            }
            if Self.isSpace(next) { return number }
            digit = next
        }
    }

    /// The next digit, 0 or 1.
    mutating func nextBit() throws(ImageCodecError) -> Int {
        var found = byte()
        while let space = found, Self.isSpace(space) { found = byte() }
        guard let digit = found else { throw .truncated }
        guard digit == 0x30 || digit == 0x31 else { throw .corrupt("no bit at byte \(offset - 1)") }
        return digit - 0x30
    }
}
