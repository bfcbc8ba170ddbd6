extension ProcessingStep {
    struct Arguments {
        private var fields: ArraySlice<Substring>
        private let kind: Kind

        /// `text` follows the colon; nil without a colon.
        init(_ text: Substring?, of kind: Kind) throws(ProcessingStepError) {
            if text?.isEmpty == true { throw .missingArguments(kind) }
            fields = text?.split(separator: ",", omittingEmptySubsequences: false)[...] ?? []
            self.kind = kind
        }

        mutating func extent() throws(ProcessingStepError) -> Extent {
            let field = try next()
            let sides = field.split(separator: "x", omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw wrong(field) }
            let width = try number(sides[0], in: Bounds.side)
            let height = try number(sides[1], in: Bounds.side)
            guard width * height <= Bounds.maximumArea else { throw .tooManyPixels(String(field)) }
            return Extent(width: width, height: height)
        }

        mutating func resizing() throws(ProcessingStepError) -> Resizing {
            guard !fields.isEmpty else { return .stretch }
            let field = try next()
            guard let mode = Resizing(rawValue: String(field)), mode != .stretch else { throw wrong(field) }
            return mode
        }

        /// Any text without a comma, but not none.
        mutating func name() throws(ProcessingStepError) -> String {
            let field = try next()
            guard !field.isEmpty else { throw wrong(field) }
            return String(field)
        }

        mutating func anchor(orAtEnd last: Anchor = Anchor()) throws(ProcessingStepError) -> Anchor {
            guard let first = fields.first, !isAtColorOrEnd else { return last }
            if let (_, anchor) = Anchor.names.first(where: { $0.name == first }) {
                fields.removeFirst()
                return anchor
            }
            return try position()
        }

        mutating func position() throws(ProcessingStepError) -> Anchor {
            Anchor(x: try number(in: Bounds.fraction), y: try number(in: Bounds.fraction))
        }

        mutating func number(in bounds: ClosedRange<Double>) throws(ProcessingStepError) -> Double {
            try number(try next(), in: bounds)
        }

        mutating func numberIfAny(in bounds: ClosedRange<Double>) throws(ProcessingStepError) -> Double? {
            isAtColorOrEnd ? nil : try number(in: bounds)
        }

        /// Pixels, or with the suffix `%w` or `%h` a percentage of the image's width or height.
        mutating func length(in bounds: ClosedRange<Double>) throws(ProcessingStepError) -> Length {
            let field = try next()
            let (digits, unit) = (field.prefix { $0 != "%" }, field.drop { $0 != "%" })
            switch unit {
            case "": return .pixels(try number(digits, in: bounds))
            case "%w": return .percentOfWidth(try number(digits, in: Bounds.percent))
            case "%h": return .percentOfHeight(try number(digits, in: Bounds.percent))
            default: throw wrong(field)
            }
        }

        mutating func lengthIfAny(in bounds: ClosedRange<Double>) throws(ProcessingStepError) -> Length? {
            fields.isEmpty ? nil : try length(in: bounds)
        }

        /// Abbreviations of corners, joined by `+`; all four at the end, or before a colour.
        mutating func corners() throws(ProcessingStepError) -> Set<Corner> {
            guard !isAtColorOrEnd else { return Set(Corner.allCases) }
            let field = try next()
            var corners: Set<Corner> = []
            for name in field.split(separator: "+", omittingEmptySubsequences: false) {
                guard let corner = Corner(rawValue: String(name)), corners.insert(corner).inserted else {
                    throw wrong(field)
                }
            }
            return corners
        }

        mutating func quarterTurns() throws(ProcessingStepError) -> Int {
            let field = try next()
            guard let turns = ["90", "180", "270"].firstIndex(of: field) else { throw wrong(field) }
            return turns + 1
        }

        mutating func axis() throws(ProcessingStepError) -> Axis {
            let field = try next()
            guard let axis = Axis(rawValue: String(field)) else { throw wrong(field) }
            return axis
        }

        mutating func color() throws(ProcessingStepError) -> Color {
            let field = try next()
            guard let color = Color(field) else { throw wrong(field) }
            return color
        }

        mutating func colorIfAny() throws(ProcessingStepError) -> Color? {
            fields.isEmpty ? nil : try color()
        }

        mutating func blendMode() throws(ProcessingStepError) -> BlendMode {
            let field = try next()
            guard let mode = BlendMode(rawValue: String(field)) else { throw wrong(field) }
            return mode
        }

        func end() throws(ProcessingStepError) {
            if let field = fields.first { throw wrong(field) }
        }

        private var isAtColorOrEnd: Bool { fields.first?.hasPrefix("#") ?? true }

        private mutating func next() throws(ProcessingStepError) -> Substring {
            guard let field = fields.popFirst() else { throw .missingArguments(kind) }
            return field
        }

        private func wrong(_ field: Substring) -> ProcessingStepError { .badValue(String(field), kind) }

        /// Digits with at most one point, within bounds; `Double.init` alone would accept nan, 1e9 and 0x10.
        private func number(
            _ text: Substring, in bounds: ClosedRange<Double>
        ) throws(ProcessingStepError) -> Double {
            // A sign is an error if the bounds exclude negative numbers.
            let digits = bounds.lowerBound < 0 && text.hasPrefix("-") ? text.dropFirst() : text
            let plain = digits.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
            }
            guard plain, let number = Double(text) else { throw wrong(text) }
            guard bounds.contains(number) else { throw .outOfBounds(String(text), bounds) }
            return number
        }
    }
}
