public import Foundation

extension KingfisherWrapper where Base == Image {
    /// The image itself: its pixels are always decoded.
    public var decoded: Image { base }

    /// The image at `scale` pixels per point, pixels decoded; an animation is returned unchanged.
    public func decoded(scale: CGFloat) -> Image {
        base.isStill ? scaled(to: scale) : base
    }

    /// The image with its orientation applied to the pixels; itself if it is upright or animated.
    public var normalized: Image {
        guard base.imageOrientation != .up, base.isStill, let pixels = base.pixels,
            let upright = try? pixels.upright(from: base.imageOrientation)
        else { return base }
        return Image(
            .still(upright), scale: base.scale, traits: base.traits, state: base.withState { $0 })
    }

    /// The same pixels at `scale` pixels per point; itself if it has that scale, or if `scale` is not a
    /// positive number.
    public func scaled(to scale: CGFloat) -> Image {
        guard scale != base.scale, scale.isFinite, scale > 0 else { return base }
        return Image(
            base.representation.scaled(to: scale), scale: scale, orientation: base.imageOrientation,
            traits: base.traits, state: base.withState { $0 })
    }
}

extension Image.Representation {
    /// Frames that share one object still share one afterwards, so that the image's cost does not change.
    fileprivate func scaled(to scale: CGFloat) -> Image.Representation {
        guard case .frames(let frames, let durations) = self else { return self }
        var scaled: [Image: Image] = [:]
        for frame in frames where scaled[frame] == nil { scaled[frame] = frame.kf.scaled(to: scale) }
        return .frames(frames.map { scaled[$0] ?? $0 }, durations)
    }
}
