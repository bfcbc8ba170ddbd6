extension ProcessingStep {
    /// A width and a height in pixels.
    struct Extent: Hashable, Sendable {
        let width: Double
        let height: Double
    }

    /// Reads a step's arguments from left to right.
    struct Arguments {
        private var fields: ArraySlice<Substring>
        private let kind: Kind

        init(_ text: String, of kind: Kind) {
            fields = text.split(separator: ",", omittingEmptySubsequences: false)[...]
            self.kind = kind
        }

        mutating func extent() throws(ProcessingStepError) -> Extent {
            let field = try next()
            let sides = field.split(separator: "x", omittingEmptySubsequences: false)
            guard sides.count == 2 else { throw .badValue(String(field), kind) }
            let width = try Self.number(sides[0], in: Bounds.side, kind)
            let height = try Self.number(sides[1], in: Bounds.side, kind)
            guard width * height <= Bounds.maximumArea else { throw .tooManyPixels(String(field)) }
            return Extent(width: width, height: height)
        }

        /// `fit` or `fill`; without one the picture is stretched.
        mutating func resizing() throws(ProcessingStepError) -> Resizing {
            guard !fields.isEmpty else { return .stretch }
            let field = try next()
            guard let mode = Resizing(rawValue: String(field)), mode != .stretch else {
                throw .badValue(String(field), kind)
            }
            return mode
        }

        /// Two numbers of 0...1; without them the middle.
        mutating func anchor() throws(ProcessingStepError) -> Anchor {
            guard !fields.isEmpty else { return Anchor() }
            return Anchor(x: try number(in: 0...1), y: try number(in: 0...1))
        }

        mutating func number(in bounds: ClosedRange<Double>) throws(ProcessingStepError) -> Double {
            try Self.number(try next(), in: bounds, kind)
        }

        func end() throws(ProcessingStepError) {
            if let field = fields.first { throw .badValue(String(field), kind) }
        }

        private mutating func next() throws(ProcessingStepError) -> Substring {
            guard let field = fields.popFirst() else { throw .missingArguments(kind) }
            return field
        }

        /// Digits with at most one point, within bounds; `Double.init` alone would take nan, 1e9 and 0x10.
        private static func number(
            _ text: Substring, in bounds: ClosedRange<Double>, _ kind: Kind
        ) throws(ProcessingStepError) -> Double {
            let plain = text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
            }
            guard plain, let number = Double(text) else { throw .badValue(String(text), kind) }
            guard bounds.contains(number) else { throw .outOfBounds(String(text), bounds) }
            return number
        }
    }
}
