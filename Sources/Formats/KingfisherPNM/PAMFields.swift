import KingfisherCodecSupport

/// The fields of a PAM header, one a line, up to ENDHDR.
struct PAMFields {
    private(set) var width = 0
    private(set) var height = 0
    private(set) var maximum = 0
    private(set) var depth = 0
    private var tupleType = ""
    /// The offset behind the line ENDHDR.
    private(set) var end = 0

    /// A longer type is not one that we know.
    private static let longestType = 64
    private static let longestNumber = 10
    /// A header has six lines, and one more for each word of its type.
    private static let mostLines = 100

    init(_ reader: ByteReader) throws(ImageCodecError) {
        var (offset, lines) = (3, 0)
        while true {
            guard let lineEnd = reader.offset(of: 0x0A, from: offset) else { throw .truncated }
            guard let line = reader.slice(at: offset, count: lineEnd - offset) else { throw .truncated }
            offset = lineEnd + 1
            // Comments may be long, and only their first byte matters.
            if line.count == 0 || line.uint8(at: 0) == PNMNumbers.comment { continue }
            lines += 1
            guard lines <= Self.mostLines else { throw .tooMuchMetadata }
            let words = Self.words(of: line)
            guard let name = words.first else { continue }
            if name == "ENDHDR" { break }
            try set(name, words.dropFirst())
        }
        end = offset
    }

    private static func words(of line: ByteReader) -> [String] {
        let text = line.bytes.prefix(longestType * 4)
        return text.split { PNMNumbers.isSpace(Int($0)) }.map { String(decoding: $0, as: UTF8.self) }
    }

    private mutating func set(_ name: String, _ values: ArraySlice<String>) throws(ImageCodecError) {
        switch name {
        case "WIDTH": width = try Self.number(values)
        case "HEIGHT": height = try Self.number(values)
        case "DEPTH": depth = try Self.number(values)
        case "MAXVAL": maximum = try Self.number(values)
        case "TUPLTYPE":
            // Several lines are one value.
            let type = ([tupleType] + values).filter { !$0.isEmpty }.joined(separator: " ")
            guard type.utf8.count <= Self.longestType else { throw .unsupported("a PAM of an unknown type") }
            tupleType = type
        default: throw .corrupt("an unknown PAM field")
        }
    }

    private static func number(_ values: ArraySlice<String>) throws(ImageCodecError) -> Int {
        guard values.count == 1, let text = values.first, text.utf8.count <= longestNumber,
            text.utf8.allSatisfy({ PNMNumbers.isDigit(Int($0)) }), let number = Int(text)
        else { throw .corrupt("a PAM field without a number") }
        return number
    }

    /// The samples of a pixel, and whether the last one is alpha; without a type, by the depth.
    var channels: (count: Int, hasAlpha: Bool) {
        get throws(ImageCodecError) {
            let expected: (count: Int, hasAlpha: Bool)
            switch tupleType {
            case "BLACKANDWHITE", "GRAYSCALE": expected = (1, false)
            case "BLACKANDWHITE_ALPHA", "GRAYSCALE_ALPHA": expected = (2, true)
            case "RGB": expected = (3, false)
            case "RGB_ALPHA": expected = (4, true)
            case "": expected = (depth, depth % 2 == 0)
            default: throw .unsupported("a PAM of the type \(tupleType.debugDescription)")
            }
            guard (1...4).contains(expected.count), depth == expected.count else {
                throw .corrupt("a PAM of \(depth) samples a pixel")
            }
            let isBlackAndWhite = tupleType.hasPrefix("BLACKANDWHITE")
            guard !isBlackAndWhite || maximum == 1 else { throw .corrupt("a maximum of \(maximum)") }
            return expected
        }
    }
}
