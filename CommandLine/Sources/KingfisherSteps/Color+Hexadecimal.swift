import Kingfisher

extension Color {
    /// The colour that the hexadecimal notation of "CSS Color Module Level 4" means: `#rgb`, `#rgba`,
    /// `#rrggbb` or `#rrggbbaa`; nil for any other text.
    init?(hexadecimal text: Substring) {
        let digits = text.dropFirst().compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard text.first == "#", digits.count == text.count - 1 else { return nil }
        let parts: [Int]
        switch digits.count {
        case 3, 4: parts = digits.map { $0 * 17 }
        case 6, 8: parts = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 16 + digits[$0 + 1] }
        default: return nil
        }
        let shares = parts.map { Double($0) / 255 }
        self.init(
            red: shares[0], green: shares[1], blue: shares[2], alpha: shares.count == 4 ? shares[3] : 1)
    }
}
