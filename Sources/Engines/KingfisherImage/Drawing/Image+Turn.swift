import Foundation

/// The sides of an image that a flip exchanges.
public enum FlipAxis: String, Sendable, CaseIterable {
    /// Left and right.
    case horizontal
    /// Top and bottom.
    case vertical
}

extension KingfisherWrapper where Base == Image {
    /// The image turned clockwise by a multiple of 90 degrees; counter-clockwise for a negative number.
    ///
    /// Pixels, depth and layout are unchanged. An animation gives its first frame. Returns the image itself
    /// for whole turns. Works on the caller's thread.
    public func rotated(byQuarterTurns quarterTurns: Int) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            switch quarterTurns & 3 {
            case 1: try pixels.upright(from: .right)
            case 2: try pixels.upright(from: .down)
            case 3: try pixels.upright(from: .left)
            default: nil
            }
        }
    }

    /// The image mirrored: left and right exchanged (`horizontal`), or top and bottom (`vertical`).
    ///
    /// Pixels, depth and layout are unchanged. An animation gives its first frame. Works on the caller's
    /// thread.
    public func flipped(_ axis: FlipAxis) -> Image {
        base.drawn { pixels throws(ImageCodecError) in
            try pixels.upright(from: axis == .horizontal ? .upMirrored : .downMirrored)
        }
    }
}

extension Image.Orientation {
    /// The orientation of the image turned clockwise by a multiple of 90 degrees; counter-clockwise for a
    /// negative number.
    public func rotated(byQuarterTurns quarterTurns: Int) -> Image.Orientation {
        Self.mirroredAndTurned(isMirrored, turns + quarterTurns)
    }

    /// The orientation of the mirrored image: left and right exchanged (`horizontal`), or top and bottom
    /// (`vertical`).
    public func flipped(_ axis: FlipAxis) -> Image.Orientation {
        Self.mirroredAndTurned(!isMirrored, (axis == .horizontal ? 0 : 2) - turns)
    }

    /// An image is shown by exchanging left and right of the stored pixels, if it is mirrored, and then
    /// turning them clockwise.
    private static let plain: [Image.Orientation] = [.up, .right, .down, .left]
    private static let mirrored: [Image.Orientation] = [
        .upMirrored, .rightMirrored, .downMirrored, .leftMirrored,
    ]

    private static func mirroredAndTurned(_ isMirrored: Bool, _ turns: Int) -> Image.Orientation {
        (isMirrored ? mirrored : plain)[turns & 3]
    }

    private var isMirrored: Bool { Self.mirrored.contains(self) }

    private var turns: Int { (Self.plain.firstIndex(of: self) ?? Self.mirrored.firstIndex(of: self)) ?? 0 }
}
