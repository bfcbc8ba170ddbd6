/// Width and height in pixels.
package struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Pixels in all; saturates instead of overflowing, so that a lying header can be compared to a limit.
    package var area: Int {
        let (area, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : area
    }

    package var isEmpty: Bool { width <= 0 || height <= 0 }
    package var swapped: PixelSize { PixelSize(width: height, height: width) }
    package var description: String { "\(width)x\(height)" }
}
