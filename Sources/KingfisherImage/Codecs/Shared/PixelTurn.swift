/// Where the pixels of an upright image lie in the stored one: an origin and a step for each direction.
struct PixelTurn {
    /// The size after turning.
    let size: PixelSize
    /// The stored place of the upright image's top left pixel.
    let origin: (x: Int, y: Int)
    /// How the stored place moves when the upright one goes one to the right.
    let stepX: (x: Int, y: Int)
    /// How the stored place moves when the upright one goes one down.
    let stepY: (x: Int, y: Int)

    /// Orientations are named by where the stored image's top is to be found: `.right` is turned clockwise.
    init(_ orientation: Image.Orientation, of stored: PixelSize) {
        size = orientation.swapsSides ? stored.swapped : stored
        let (right, bottom) = (stored.width - 1, stored.height - 1)
        switch orientation {
        case .up: (origin, stepX, stepY) = ((0, 0), (1, 0), (0, 1))
        case .upMirrored: (origin, stepX, stepY) = ((right, 0), (-1, 0), (0, 1))
        case .down: (origin, stepX, stepY) = ((right, bottom), (-1, 0), (0, -1))
        case .downMirrored: (origin, stepX, stepY) = ((0, bottom), (1, 0), (0, -1))
        case .leftMirrored: (origin, stepX, stepY) = ((0, 0), (0, 1), (1, 0))
        case .right: (origin, stepX, stepY) = ((0, bottom), (0, -1), (1, 0))
        case .rightMirrored: (origin, stepX, stepY) = ((right, bottom), (0, -1), (-1, 0))
        case .left: (origin, stepX, stepY) = ((right, 0), (0, 1), (-1, 0))
        }
    }

    /// The extent of the upright image. A side that is run through backwards counts as whole pixels: what
    /// is left of one has come to the near edge, and the extent tells of the far one.
    func extent(of stored: PixelBuffer) -> PixelExtent {
        func length(_ step: (x: Int, y: Int), _ whole: Int) -> Double {
            switch step {
            case (1, _): stored.extent.width
            case (_, 1): stored.extent.height
            default: Double(whole)
            }
        }
        return PixelExtent(width: length(stepX, size.width), height: length(stepY, size.height))
    }
}
