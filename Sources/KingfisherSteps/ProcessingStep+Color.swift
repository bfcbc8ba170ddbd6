extension ProcessingStep {
    /// A colour in sRGB with straight alpha, 0 to 255 each.
    public struct Color: Hashable, Sendable {
        /// The red component.
        public let red: UInt8
        /// The green component.
        public let green: UInt8
        /// The blue component.
        public let blue: UInt8
        /// The opacity; 255 is opaque.
        public let alpha: UInt8

        /// Creates a colour; opaque by default.
        public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
            (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
        }

        /// Parses the hexadecimal notation of "CSS Color Module Level 4": `#rgb`, `#rgba`, `#rrggbb` or
        /// `#rrggbbaa`; nil for any other text.
        public init?(_ text: some StringProtocol) {
            let digits = text.dropFirst().compactMap { $0.isASCII ? $0.hexDigitValue : nil }
            guard text.first == "#", digits.count == text.count - 1 else { return nil }
            let parts: [Int]
            switch digits.count {
            case 3, 4: parts = digits.map { $0 * 17 }
            case 6, 8:
                parts = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 16 + digits[$0 + 1] }
            default: return nil
            }
            let bytes = parts.map { UInt8($0) }
            self.init(
                red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes.count == 4 ? bytes[3] : 255)
        }
    }
}
