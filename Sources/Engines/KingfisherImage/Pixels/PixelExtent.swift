/// A width and a height in possibly fractional pixels.
package struct PixelExtent: Hashable, Sendable {
    package var width: Double
    package var height: Double

    package init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    package init(_ size: PixelSize) {
        self.init(width: Double(size.width), height: Double(size.height))
    }
}
