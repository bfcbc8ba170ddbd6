/// How an image was made of another one by cropping, scaling and turning only.
///
/// Says which place of the source each place of the result shows, so that what belongs to the source, such as
/// its gain map, can be changed in the same way.
public struct ImageGeometry: Hashable, Sendable {
    /// The size of the upright source in pixels.
    public let source: PixelSize
    /// The size of the result in pixels.
    public private(set) var size: PixelSize
    /// The place in the source of the result's top left corner.
    private var origin = SIMD2(0.0, 0.0)
    /// The steps in the source for one pixel of the result to the right, and down.
    private var stepX = SIMD2(1.0, 0.0)
    private var stepY = SIMD2(0.0, 1.0)

    /// Creates the geometry of an unchanged image of `size` upright pixels.
    public init(_ size: PixelSize) { (source, self.size) = (size, size) }

    /// Whether the result shows the whole source, upright, in its size.
    public var isIdentity: Bool { self == ImageGeometry(source) }

    /// Scales the result. A size without pixels changes nothing.
    public mutating func resize(to size: PixelSize) {
        guard !size.isEmpty else { return }
        stepX *= Double(self.size.width) / Double(size.width)
        stepY *= Double(self.size.height) / Double(size.height)
        self.size = size
    }

    /// Crops the result to `size` pixels at (`x`, `y`) from its top left, as `PixelBuffer.cropped`.
    public mutating func crop(x: Int, y: Int, to size: PixelSize) {
        origin += Double(x) * stepX + Double(y) * stepY
        self.size = size
    }

    /// Turns the result from `orientation` to upright, as `PixelBuffer.upright(from:)`.
    public mutating func turn(from orientation: Image.Orientation) {
        let turn = PixelTurn(orientation, of: size)
        let (x, y) = (turn.stepX, turn.stepY)
        // A side that is reversed begins at its end.
        if x.x + y.x < 0 { origin += Double(size.width) * stepX }
        if x.y + y.y < 0 { origin += Double(size.height) * stepY }
        (stepX, stepY) = (
            Double(x.x) * stepX + Double(x.y) * stepY, Double(y.x) * stepX + Double(y.y) * stepY
        )
        size = turn.size
    }

    /// The same change for an image of `pixels` upright pixels that covers the same area as the source.
    func applied(to pixels: PixelSize) -> (part: PixelPart, size: PixelSize, orientation: Image.Orientation) {
        let scale = SIMD2(
            Double(pixels.width) / Double(source.width), Double(pixels.height) / Double(source.height))
        let end = origin + Double(size.width) * stepX + Double(size.height) * stepY
        let (low, high) = (pointwiseMin(origin, end) * scale, pointwiseMax(origin, end) * scale)
        let isSwapped = stepX.x == 0
        let along = isSwapped ? SIMD2(scale.y, scale.x) : scale
        let target = PixelSize(
            width: max(1, Int((Double(size.width) * along.x).rounded())),
            height: max(1, Int((Double(size.height) * along.y).rounded())))
        let part = PixelPart(left: low.x, top: low.y, width: high.x - low.x, height: high.y - low.y)
        return (part, isSwapped ? target.swapped : target, orientation)
    }

    /// The orientation from which the part of the source was turned.
    private var orientation: Image.Orientation {
        Image.Orientation.allCases.first { orientation in
            let turn = PixelTurn(orientation, of: PixelSize(width: 1, height: 1))
            func isSame(_ step: (x: Int, y: Int), _ own: SIMD2<Double>) -> Bool {
                step.x == own.x.signum && step.y == own.y.signum
            }
            return isSame(turn.stepX, stepX) && isSame(turn.stepY, stepY)
        } ?? .up
    }
}

extension Double {
    fileprivate var signum: Int { self > 0 ? 1 : self < 0 ? -1 : 0 }
}
