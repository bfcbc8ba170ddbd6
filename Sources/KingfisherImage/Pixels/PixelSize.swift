/// Width and height in pixels.
public struct PixelSize: Hashable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    /// Describes a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Pixels in all; saturates instead of overflowing, so that a lying header can be compared to a limit.
    public var area: Int {
        let (area, overflow) = width.multipliedReportingOverflow(by: height)
        return overflow ? .max : area
    }

    /// Whether a side is not positive.
    public var isEmpty: Bool { width <= 0 || height <= 0 }
    /// Height for width.
    public var swapped: PixelSize { PixelSize(width: height, height: width) }
    public var description: String { "\(width)x\(height)" }
}
