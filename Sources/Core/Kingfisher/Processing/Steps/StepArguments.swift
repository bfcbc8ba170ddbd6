public import Foundation
public import KingfisherImage

/// The arguments of a step, separated by commas, which its definition reads in order.
///
/// For untrusted text: numbers have digits, at most one point, and bounds that cannot exhaust a machine's
/// memory. Each function throws if the next argument is missing or has another form.
public struct StepArguments {
    /// The maximum pixels of a result, the library's default limit for a frame.
    static let maximumArea = 100_000_000.0

    var parsedSize: CGSize?
    private var fields: ArraySlice<Substring>
    private let definition: StepDefinition

    /// `text` follows the colon; nil without a colon.
    init(_ text: Substring?, of definition: StepDefinition) throws(ProcessingStepError) {
        if text?.isEmpty == true { throw .missingArguments(expected: definition.form) }
        fields = text?.split(separator: ",", omittingEmptySubsequences: false)[...] ?? []
        self.definition = definition
    }

    /// `WxH` in pixels: sides of 1 to 32,768, and at most 100 megapixels. With `allowsFreeSide`, one side may
    /// be 0.
    public mutating func size(allowsFreeSide: Bool = false) throws(ProcessingStepError) -> CGSize {
        let field = try next()
        let sides = field.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { throw wrong(field) }
        let isFree = sides.map { allowsFreeSide && $0.allSatisfy { $0 == "0" } && !$0.isEmpty }
        guard isFree != [true, true] else { throw wrong(field) }
        let width = isFree[0] ? 0 : try number(sides[0], in: 1...32_768)
        let height = isFree[1] ? 0 : try number(sides[1], in: 1...32_768)
        guard width * height <= Self.maximumArea else { throw .tooManyPixels(String(field)) }
        let size = CGSize(width: width, height: height)
        parsedSize = size
        return size
    }

    /// A number within bounds; a sign is an error if the bounds exclude negative numbers.
    public mutating func number(in bounds: ClosedRange<Double>) throws(ProcessingStepError) -> Double {
        try number(try next(), in: bounds)
    }

    /// A number within bounds; nil at the end or before a colour.
    public mutating func numberIfAny(in bounds: ClosedRange<Double>) throws(ProcessingStepError) -> Double? {
        isAtColorOrEnd ? nil : try number(in: bounds)
    }

    /// One of some words.
    public mutating func choice<Value>(
        of values: KeyValuePairs<String, Value>
    ) throws(ProcessingStepError) -> Value {
        let field = try next()
        guard let value = values.first(where: { $0.key == field })?.value else { throw wrong(field) }
        return value
    }

    /// One of some words; nil at the end.
    public mutating func choiceIfAny<Value>(
        of values: KeyValuePairs<String, Value>
    ) throws(ProcessingStepError) -> Value? {
        fields.isEmpty ? nil : try choice(of: values)
    }

    /// Any text without a comma, but not none.
    public mutating func text() throws(ProcessingStepError) -> String {
        let field = try next()
        guard !field.isEmpty else { throw wrong(field) }
        return String(field)
    }

    /// One line of text that is not blank, in UTF-8 as Base64 for URLs (RFC 4648, section 5).
    mutating func line() throws(ProcessingStepError) -> String {
        let field = try next()
        guard let bytes = Base64URL.decode(field) else { throw wrong(field) }
        guard let text = String(validating: bytes, as: UTF8.self), TextDrawing.isDrawable(text),
            !text.allSatisfy(\.isWhitespace)
        else {
            throw .refused(
                "the text must be one line of 1 to \(TextDrawing.maximumBytes) bytes of UTF-8 without control "
                    + "characters")
        }
        return text
    }

    /// Two numbers, a point as fractions of an image's sides; (0, 0) is the top left.
    public mutating func point() throws(ProcessingStepError) -> CGPoint {
        CGPoint(x: try number(in: 0...1), y: try number(in: 0...1))
    }

    /// A point, or the name of an edge or corner such as `topLeft`; the default if the next argument is
    /// neither.
    public mutating func anchor(
        default anchor: CGPoint = CGPoint(x: 0.5, y: 0.5)
    ) throws(ProcessingStepError) -> CGPoint {
        guard let first = fields.first else { return anchor }
        guard let named = Self.anchors.first(where: { $0.name == first }) else {
            return first.first.map { $0.isNumber || $0 == "." } == true ? try point() : anchor
        }
        fields.removeFirst()
        return named.point
    }

    static let anchors: [(name: String, point: CGPoint)] = [
        ("center", CGPoint(x: 0.5, y: 0.5)), ("top", CGPoint(x: 0.5, y: 0)),
        ("bottom", CGPoint(x: 0.5, y: 1)), ("left", CGPoint(x: 0, y: 0.5)),
        ("right", CGPoint(x: 1, y: 0.5)), ("topLeft", CGPoint(x: 0, y: 0)),
        ("topRight", CGPoint(x: 1, y: 0)), ("bottomLeft", CGPoint(x: 0, y: 1)),
        ("bottomRight", CGPoint(x: 1, y: 1)),
    ]

    /// Two numbers in pixels from the top left, and a size.
    public mutating func rectangle() throws(ProcessingStepError) -> CGRect {
        let origin = CGPoint(x: try number(in: 0...32_768), y: try number(in: 0...32_768))
        return CGRect(origin: origin, size: try size())
    }

    /// Pixels, or with the suffix `%w` or `%h` a percentage of the image's width or height.
    public mutating func radius(in bounds: ClosedRange<Double>) throws(ProcessingStepError) -> Radius {
        let field = try next()
        let (digits, unit) = (field.prefix { $0 != "%" }, field.drop { $0 != "%" })
        switch unit {
        case "": return .point(try number(digits, in: bounds))
        case "%w": return .widthFraction(try number(digits, in: 0...100) / 100)
        case "%h": return .heightFraction(try number(digits, in: 0...100) / 100)
        default: throw wrong(field)
        }
    }

    /// Like `radius(in:)`; nil at the end or before a colour.
    public mutating func radiusIfAny(
        in bounds: ClosedRange<Double>
    ) throws(ProcessingStepError) -> Radius? {
        isAtColorOrEnd ? nil : try radius(in: bounds)
    }

    /// Abbreviations of corners, joined by `+`; all four at the end, or before a colour.
    public mutating func corners() throws(ProcessingStepError) -> RectCorner {
        guard !isAtColorOrEnd else { return .all }
        let names: [Substring: RectCorner] = [
            "tl": .topLeft, "tr": .topRight, "bl": .bottomLeft, "br": .bottomRight,
        ]
        let field = try next()
        var corners: RectCorner = []
        for name in field.split(separator: "+", omittingEmptySubsequences: false) {
            guard let corner = names[name], corners.insert(corner).inserted else { throw wrong(field) }
        }
        return corners
    }

    /// A colour in the hexadecimal notation of "CSS Color Module Level 4": `#rgb`, `#rgba`, `#rrggbb` or
    /// `#rrggbbaa`, in sRGB with straight alpha.
    public mutating func color() throws(ProcessingStepError) -> KFCrossPlatformColor {
        let field = try next()
        let digits = field.dropFirst().compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard field.first == "#", digits.count == field.count - 1 else { throw wrong(field) }
        let bytes: [Int]
        switch digits.count {
        case 3, 4: bytes = digits.map { $0 * 17 }
        case 6, 8: bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 16 + digits[$0 + 1] }
        default: throw wrong(field)
        }
        let parts = bytes.map { Double($0) / 255 }
        return KFCrossPlatformColor(
            red: parts[0], green: parts[1], blue: parts[2], alpha: parts.count == 4 ? parts[3] : 1)
    }

    /// A colour; nil at the end.
    public mutating func colorIfAny() throws(ProcessingStepError) -> KFCrossPlatformColor? {
        fields.isEmpty ? nil : try color()
    }

    /// The name of a blend mode.
    public mutating func blendMode() throws(ProcessingStepError) -> BlendMode {
        let field = try next()
        guard let mode = Self.blendModes.first(where: { $0.name == field })?.mode else { throw wrong(field) }
        return mode
    }

    static let blendModes = BlendMode.allCases.map { (name: "\($0)", mode: $0) }

    func end() throws(ProcessingStepError) {
        if let field = fields.first { throw wrong(field) }
    }

    private var isAtColorOrEnd: Bool { fields.first?.hasPrefix("#") ?? true }

    private mutating func next() throws(ProcessingStepError) -> Substring {
        guard let field = fields.popFirst() else { throw .missingArguments(expected: definition.form) }
        return field
    }

    private func wrong(_ field: Substring) -> ProcessingStepError {
        .badValue(String(field), expected: definition.form)
    }

    /// `Double.init` alone would accept nan, 1e9 and 0x10.
    private func number(
        _ text: Substring, in bounds: ClosedRange<Double>
    ) throws(ProcessingStepError) -> Double {
        let digits = bounds.lowerBound < 0 && text.hasPrefix("-") ? text.dropFirst() : text
        let plain = digits.utf8.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
        }
        guard plain, let number = Double(text) else { throw wrong(text) }
        guard bounds.contains(number) else { throw .outOfBounds(String(text), bounds) }
        return number
    }
}
