/// Numbers in URLs of other services: no exponents, no `nan`, no `0x`.
enum PlainNumber {
    /// Digits only, at most 15.
    static func whole(_ text: some StringProtocol) -> Int? {
        let digits = text.utf8
        guard (1...15).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
        return Int(text)
    }

    /// Digits with at most one point, after a minus or not; at most 32 bytes.
    static func decimal(_ text: some StringProtocol) -> Double? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        let points = digits.count { $0 == UInt8(ascii: ".") }
        guard text.utf8.count <= 32, points <= 1, digits.count > points,
            digits.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") })
        else { return nil }
        return Double(text)
    }

    /// The number with at most six decimals, as steps read it: `String.init` would write exponents.
    static func text(
        _ number: Double, rounded rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
    ) -> String {
        let millionths = (number * 1_000_000).rounded(rule)
        guard abs(millionths) < 1e15 else { return "\(number)" }
        let (whole, fraction) = Int(millionths.magnitude).quotientAndRemainder(dividingBy: 1_000_000)
        var decimals = String(String(1_000_000 + fraction).dropFirst())
        while decimals.last == "0" { decimals.removeLast() }
        return (millionths < 0 ? "-" : "") + String(whole) + (decimals.isEmpty ? "" : ".\(decimals)")
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
