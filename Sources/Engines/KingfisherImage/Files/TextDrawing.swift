import Foundation

/// A line of text as an image, rendered by the registered codec of SVG, maybe in another process.
package struct TextDrawing: Sendable {
    /// The most bytes of UTF-8 that are drawn.
    package static let maximumBytes = 256

    /// Without control characters and line breaks.
    package let text: String
    private let color: Color

    /// Control characters, line breaks and what XML cannot contain become U+FFFD. Characters that exceed
    /// ``maximumBytes`` are omitted.
    package init(_ text: String, color: Color) {
        var line = ""
        var count = 0
        for character in text {
            let scalars = character.unicodeScalars.map { Self.isDrawable($0) ? $0 : "\u{FFFD}" }
            count += scalars.reduce(0) { $0 + UTF8.width($1) }
            guard count <= Self.maximumBytes else { break }
            line.unicodeScalars.append(contentsOf: scalars)
        }
        (self.text, self.color) = (line, color)
    }

    /// Whether `text` is drawn as it is.
    package static func isDrawable(_ text: String) -> Bool {
        text.utf8.count <= maximumBytes && text.unicodeScalars.allSatisfy(isDrawable)
    }

    private static func isDrawable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: false
        default: !scalar.properties.isNoncharacterCodePoint
        }
    }

    // MARK: Rendering

    /// The units of the document in the size of the font. Of a size of 40, librsvg 2.54 draws no line with a
    /// character that no font has if it is rendered at a quarter of that.
    private static let unit = 10.0
    /// In sizes of the font, the space for accents and descenders, so that lines of equal size are equally
    /// high; below the first is the baseline.
    private static let (ascent, height) = (1.05, 1.4)
    /// In sizes of the font, the space at both ends of the line.
    private static let margin = 0.25
    /// The size in pixels of the font with which the width is measured.
    private static let measure = 20

    /// The text with a font of `size` pixels, or a smaller one if it is larger than `limit`, in sans-serif;
    /// nil if no part of it is visible.
    ///
    /// Works on the caller's thread, with the codec of the current `DecodingContext`. Throws `unsupported`
    /// without a codec for SVG, and the errors of that codec.
    package func rendered(size: Double, within limit: PixelSize) throws(ImageCodecError) -> PixelBuffer? {
        guard let ends = try measured() else { return nil }
        let length = (ends.upperBound - ends.lowerBound) / Self.unit
        let fitting = min(size, Double(limit.width) / length, Double(limit.height) / Self.height)
        func side(_ length: Double, _ limit: Int) -> Int {
            // 40.000000001 pixels are 40.
            max(1, min(Int((length * fitting - 1e-3).rounded(.up)), limit))
        }
        let target = PixelSize(
            width: side(length, limit.width), height: side(Self.height, limit.height))
        return try pixels(of: target, from: ends.lowerBound, to: ends.upperBound, color)
    }

    /// Where the line begins and ends in the units of the document, with the space at its ends.
    private func measured() throws(ImageCodecError) -> Range<Double>? {
        // Most characters are at most one size of the font wide, all of DejaVu and Noto at most 2 on average.
        let count = 2 * text.unicodeScalars.count + 4
        let target = PixelSize(
            width: count * Self.measure, height: Int((Self.height * Double(Self.measure)).rounded()))
        let middle = Double(count) / 2 * Self.unit
        let pixels = try pixels(of: target, from: -middle, to: middle, .black)
        let columns = pixels.visibleColumns
        guard !columns.isEmpty else { return nil }
        let scale = Self.unit / Double(Self.measure)
        let space = Self.margin * Self.unit
        return Double(columns.lowerBound) * scale - middle - space..<Double(columns.upperBound) * scale
            - middle + space
    }

    private func pixels(
        of target: PixelSize, from start: Double, to end: Double, _ color: Color
    ) throws(ImageCodecError) -> PixelBuffer {
        guard let format = ImageCodecs.format(forFileExtension: "svg"),
            let codec = ImageCodecs.codec(for: format)
        else { throw .unsupported("text without the format SVG") }
        let opaque = color.withAlphaComponent(1).hexadecimal
        let opacity = Double(color.premultipliedRGBA8.w) / 255
        let document = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(target.width)" height="\(target.height)" \
            viewBox="\(start) 0 \(end - start) \(Self.height * Self.unit)"><text y="\(Self.ascent * Self.unit)" \
            text-anchor="middle" direction="\(isRightToLeft ? "rtl" : "ltr")" xml:space="preserve" \
            font-family="sans-serif" font-size="\(Self.unit)" fill="\(opaque)" fill-opacity="\(opacity)">\
            \(escaped)</text></svg>
            """
        let image = try Image.downsample(Data(document.utf8), using: codec, scale: 1) { _ in target }
        guard let pixels = try image.pixels?.premultiplied() else { throw .emptyImage }
        return pixels
    }

    /// As the content of an element of XML.
    private var escaped: String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }

    /// Whether the first letter is of a script that is written from right to left (rules P2 and P3 of the
    /// Unicode Bidirectional Algorithm).
    private var isRightToLeft: Bool {
        let first = text.unicodeScalars.first { $0.properties.isAlphabetic }
        return switch first?.value ?? 0 {
        case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: true
        default: false
        }
    }
}

extension PixelBuffer {
    /// The columns from the first to the last with a visible pixel, of 8-bit premultiplied RGBA.
    fileprivate var visibleColumns: Range<Int> {
        withUnsafeBytes { bytes in
            func isVisible(_ x: Int) -> Bool {
                (0..<height).contains { bytes[$0 * bytesPerRow + x * 4 + 3] > 0 }
            }
            guard let first = (0..<width).first(where: isVisible),
                let last = (0..<width).last(where: isVisible)
            else { return 0..<0 }
            return first..<last + 1
        }
    }
}
