/// Red, green, blue and straight alpha, 0...255 each; differences wrap around.
typealias QOIPixel = SIMD4<UInt8>

extension QOIPixel {
    /// The pixel before the first one.
    static let first = QOIPixel(0, 0, 0, 255)

    /// The index of the pixel in the table of 64 recent pixels.
    var slot: Int { (Int(x) * 3 + Int(y) * 5 + Int(z) * 7 + Int(w) * 11) % 64 }
}
