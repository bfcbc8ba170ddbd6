/// The mapping from upright to stored pixels.
///
/// `origin` is the stored position of the upright image's top left pixel. `stepX` and `stepY` are the stored
/// steps for one upright pixel to the right and down.
struct PixelTurn {
    let size: PixelSize
    let origin: (x: Int, y: Int)
    let stepX: (x: Int, y: Int)
    let stepY: (x: Int, y: Int)

    /// Orientations are named after the position of the stored image's top: `.right` is turned clockwise.
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

    /// The extent of the upright image. A reversed side counts as whole pixels: its partial pixel is now at
    /// the near edge, but an extent describes the far edge.
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
