/// A rectangle of whole pixels.
package struct PixelArea: Hashable, Sendable {
    package let x: Int, y: Int
    package let size: PixelSize

    package init(x: Int, y: Int, size: PixelSize) { (self.x, self.y, self.size) = (x, y, size) }
}

/// A rectangle in an image, whose edges may be between pixels.
struct PixelPart: Hashable {
    var left: Double
    var top: Double
    var width: Double
    var height: Double
}
