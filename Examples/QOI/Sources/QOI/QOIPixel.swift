/// Red, green, blue and straight alpha, 0...255 each; differences wrap around.
typealias QOIPixel = SIMD4<UInt8>

extension QOIPixel {
    /// What stands before the first pixel.
    static let first = QOIPixel(0, 0, 0, 255)

    /// The pixel's place among the 64 seen last.
    var slot: Int { (Int(x) * 3 + Int(y) * 5 + Int(z) * 7 + Int(w) * 11) % 64 }
}
