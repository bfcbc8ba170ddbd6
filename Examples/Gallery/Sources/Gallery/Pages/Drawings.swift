import Kingfisher

/// Placeholder and failure images in a translucent grey that suits light and dark windows.
enum Drawings {
    private static let size = CGSize(width: 220, height: 180)

    /// Hills and a sun that also stand out on dark and high-contrast desktops.
    static func adaptivePlaceholder() throws -> Image {
        try placeholder(gray: 0.3).withVariants(
            dark: placeholder(gray: 0.9), highContrast: placeholder(gray: 0, strength: 2),
            highContrastDark: placeholder(gray: 1, strength: 2))
    }

    /// Hills and a sun.
    ///
    /// - Parameters:
    ///   - gray: from 0, black, to 1, white.
    ///   - strength: multiplies the opacity; at most 2.
    static func placeholder(gray: Double = 0.5, strength: UInt32 = 1) throws -> Image {
        try draw(gray: gray) { x, y in
            let isInFrontHill = y - 96 > abs(x - 150) * 0.85
            let isInBackHill = y - 70 > abs(x - 82) * 0.95
            let isInSun = (x - 172) * (x - 172) + (y - 48) * (y - 48) < 18 * 18
            let alpha: UInt32 =
                if isInFrontHill { 96 } else if isInBackHill { 64 } else if isInSun { 48 } else { 0 }
            return alpha * strength
        }
    }

    /// A ring with a cross in it.
    static func failure() throws -> Image {
        try draw(gray: 0.5) { x, y in
            let (x, y) = (x - size.width / 2, y - size.height / 2)
            let radius = (x * x + y * y).squareRoot()
            let isOnRing = radius > 34 && radius < 42
            let isOnCross = radius < 24 && min(abs(x - y), abs(x + y)) < 6
            return isOnRing || isOnCross ? 160 : 0
        }
    }

    /// - Parameters:
    ///   - gray: from 0, black, to 1, white.
    ///   - alpha: the opacity at a point, 0...255.
    private static func draw(gray: Double, alpha: (_ x: Double, _ y: Double) -> UInt32) throws -> Image {
        // Two pixels per point, so that the edges are smooth when GTK scales them down.
        let scale = 2.0
        let (width, height) = (Int(size.width * scale), Int(size.height * scale))
        let pixels = try PixelBuffer(width: width, height: height, format: .rgba8Premultiplied) {
            rows, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let alpha = alpha(Double(x) / scale, Double(y) / scale)
                    let gray = UInt32(Double(alpha) * gray)
                    rows.storeBytes(
                        of: UInt32(bigEndian: gray << 24 | gray << 16 | gray << 8 | alpha),
                        toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
                }
            }
        }
        return Image(pixels: pixels, scale: scale)
    }
}
