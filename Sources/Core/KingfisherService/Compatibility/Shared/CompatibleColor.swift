/// Colours in URLs of imgproxy and thumbor, as steps read them.
enum CompatibleColor {
    /// `#` and three or six digits; nil for other texts. The text has no `#`.
    static func hexadecimal(_ text: some StringProtocol) -> String? {
        guard [3, 6].contains(text.utf8.count), text.utf8.allSatisfy({ PercentEncoding.hex($0) != nil })
        else { return nil }
        return "#\(text.lowercased())"
    }

    /// A colour by its components; nil if one is not in 0...255.
    static func components(_ texts: some Collection<Substring>) -> String? {
        let bytes = texts.compactMap { PlainNumber.whole($0).flatMap(UInt8.init(exactly:)) }
        guard bytes.count == 3, texts.count == 3 else { return nil }
        let digits = bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }
        return "#\(digits.joined())"
    }

    /// A name of CSS level 1.
    static func named(_ name: some StringProtocol) -> String? { names[name.lowercased()] }

    private static let names = [
        "black": "#000000", "silver": "#c0c0c0", "gray": "#808080", "white": "#ffffff",
        "maroon": "#800000", "red": "#ff0000", "purple": "#800080", "fuchsia": "#ff00ff",
        "green": "#008000", "lime": "#00ff00", "olive": "#808000", "yellow": "#ffff00",
        "navy": "#000080", "blue": "#0000ff", "teal": "#008080", "aqua": "#00ffff",
    ]
}
