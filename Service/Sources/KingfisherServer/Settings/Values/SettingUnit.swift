/// Units of numbers, as `32 MiB`, `10 s` and `50 MP`.
struct SettingUnit: Sendable {
    /// What a number is, for messages.
    let noun: String
    /// The units, the smallest one first; its name may be omitted.
    let units: [(name: String, factor: Int)]

    static let count = SettingUnit(noun: "a number", units: [("", 1)])
    static let bytes = SettingUnit(
        noun: "a size",
        units: [
            ("B", 1), ("kB", 1_000), ("KiB", 1 << 10), ("MB", 1_000_000), ("MiB", 1 << 20),
            ("GB", 1_000_000_000), ("GiB", 1 << 30), ("TB", 1_000_000_000_000), ("TiB", 1 << 40),
        ])
    static let pixels = SettingUnit(noun: "a number of pixels", units: [("", 1), ("MP", 1_000_000)])
    static let seconds = SettingUnit(
        noun: "a duration", units: [("s", 1), ("min", 60), ("h", 3_600), ("d", 86_400)])

    /// The number in the smallest unit; nil if the text is malformed, no whole number, or too large.
    func value(of text: String) -> Int? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let name = text.dropFirst(digits.count).trimmedSpaces.lowercased()
        let unit = name.isEmpty ? units.first : units.first { $0.name.lowercased() == name }
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard let factor = unit?.factor, (1...2).contains(parts.count),
            parts.allSatisfy({ (1...15).contains($0.count) }), let whole = Int(parts[0])
        else { return nil }
        let product = whole.multipliedReportingOverflow(by: factor)
        guard !product.overflow else { return nil }
        guard parts.count == 2 else { return product.partialValue }
        return Self.fraction(parts[1], of: factor).map { $0.addingReportingOverflow(product.partialValue) }
            .flatMap { $0.overflow ? nil : $0.partialValue }
    }

    /// `0.digits` of a factor, if that is a whole number.
    private static func fraction(_ digits: Substring, of factor: Int) -> Int? {
        guard let number = Int(digits) else { return nil }
        let divisor = (0..<digits.count).reduce(1) { power, _ in power * 10 }
        let product = number.multipliedReportingOverflow(by: factor)
        guard !product.overflow, product.partialValue.isMultiple(of: divisor) else { return nil }
        return product.partialValue / divisor
    }

    /// The text of a number, in the unit that needs the smallest number.
    func text(_ value: Int) -> String {
        let unit = value == 0 ? nil : units.last { value.isMultiple(of: $0.factor) }
        guard let unit, !unit.name.isEmpty else { return "\(value)" }
        return "\(value / unit.factor) \(unit.name)"
    }

    func text(_ range: ClosedRange<Int>) -> String {
        range.upperBound == .max
            ? "\(text(range.lowerBound)) or more" : "\(text(range.lowerBound))…\(text(range.upperBound))"
    }
}
