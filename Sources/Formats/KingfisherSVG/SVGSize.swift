import KingfisherCodecSupport

/// The size of a file in CSS pixels.
struct SVGSize: Equatable {
    let width: Double
    let height: Double

    /// The lengths that a side may have, so that products are finite.
    private static let lengths = 1e-3...1e6
    /// The longer side of ``enlarged``: larger than a side of any image, so that every target is smaller.
    private static let enlargedSide = 65_536.0

    init(width: Double, height: Double) {
        self.width = min(max(width, Self.lengths.lowerBound), Self.lengths.upperBound)
        self.height = min(max(height, Self.lengths.lowerBound), Self.lengths.upperBound)
    }

    /// The rules of CSS 2.1, section 10.3.2, for replaced elements, with the ratio of `viewBox`.
    init(_ root: SVGRoot) {
        let box = root.viewBox.flatMap(Self.box)
        let width = root.width.flatMap(CSSLength.init)?.pixels
        let height = root.height.flatMap(CSSLength.init)?.pixels
        switch (width, height, box) {
        case (let width?, let height?, _): self.init(width: width, height: height)
        case (let width?, nil, let box?):
            self.init(width: width, height: width * box.height / box.width)
        case (nil, let height?, let box?):
            self.init(width: height * box.width / box.height, height: height)
        case (nil, nil, let box?): self = box
        case (let width, let height, nil): self.init(width: width ?? 300, height: height ?? 150)
        }
    }

    private static func box(_ text: String) -> SVGSize? {
        let numbers = text.split { $0 == "," || $0.isWhitespace }.map { Double($0) ?? .nan }
        guard numbers.count == 4, numbers.allSatisfy(\.isFinite), numbers[2] > 0, numbers[3] > 0 else {
            return nil
        }
        return SVGSize(width: numbers[2], height: numbers[3])
    }

    /// The size in whole pixels.
    var pixels: PixelSize { scaled(by: 1) }

    /// A large size of the same shape.
    var enlarged: PixelSize { scaled(by: Self.enlargedSide / max(width, height)) }

    /// The smallest size of the same shape that is at least `size` on both sides.
    func covering(_ size: PixelSize) -> PixelSize {
        scaled(by: max(Double(size.width) / width, Double(size.height) / height))
    }

    private func scaled(by factor: Double) -> PixelSize {
        func side(_ length: Double) -> Int { Int(min(max((length * factor).rounded(), 1), 1e9)) }
        return PixelSize(width: side(width), height: side(height))
    }
}

/// A length with an absolute unit, or with one of fonts, for which the initial size of 16 pixels applies.
struct CSSLength: Equatable {
    let pixels: Double

    /// Nil for percentages, for unknown units, and unless the length is positive.
    init?(_ text: String) {
        let text = text.trimmed
        // An exponent is part of the number; "e" alone begins a unit.
        let number = text.prefix { $0.isNumber || "+-.eE".contains($0) }
        let digits = Double(number) == nil ? number.prefix { !"eE".contains($0) } : number
        let unit = text.dropFirst(digits.count).lowercased()
        guard let value = Double(digits), let factor = Self.units[unit], value > 0, value.isFinite else {
            return nil
        }
        pixels = value * factor
    }

    /// CSS Values and Units, sections 5 and 6.
    private static let units: [String: Double] = [
        "": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96 / 72.0,
        "pc": 16, "em": 16, "rem": 16, "ex": 8, "ch": 8,
    ]
}

extension String {
    fileprivate var trimmed: Substring {
        let start = drop { $0.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return start[...end]
    }
}
