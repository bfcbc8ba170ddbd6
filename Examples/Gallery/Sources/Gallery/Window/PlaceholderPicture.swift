import Kingfisher

/// The sign of a picture to come: hills and a sun, grey on grey.
enum PlaceholderPicture {
    /// In points.
    private static let size = CGSize(width: 220, height: 180)

    static func make() throws -> Image {
        // Twice the pixels, so that the edges are smooth when GTK scales them down.
        let scale = 2.0
        let (width, height) = (Int(size.width * scale), Int(size.height * scale))
        let pixels = try PixelBuffer(width: width, height: height, format: .rgba8Opaque) {
            rows, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let level = level(x: Double(x) / scale, y: Double(y) / scale)
                    rows.storeBytes(
                        of: UInt32(bigEndian: level << 24 | level << 16 | level << 8 | 0xff),
                        toByteOffset: y * bytesPerRow + x * 4, as: UInt32.self)
                }
            }
        }
        return Image(pixels: pixels, scale: scale)
    }

    /// How light the picture is at a point, 0...255.
    private static func level(x: Double, y: Double) -> UInt32 {
        let isInFrontHill = y - 96 > abs(x - 150) * 0.85
        let isInBackHill = y - 70 > abs(x - 82) * 0.95
        let isInSun = (x - 172) * (x - 172) + (y - 48) * (y - 48) < 18 * 18
        return if isInFrontHill { 178 } else if isInBackHill { 196 } else if isInSun { 244 } else { 218 }
    }
}
