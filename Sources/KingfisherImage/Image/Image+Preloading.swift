package import Foundation

extension Image {
    /// Canvases that composing a frame takes beside the frame.
    private static let canvasesBeside = 2

    /// The animation with all its frames in memory; nil when they are there or the image has none, and when
    /// they would take more than `ImageLimits.maximumFrameBytes` together with what composes them.
    ///
    /// In the place of a frame that cannot be had stands the one before, as the same object: players show
    /// that, too, where frames decode on demand. One run lasts `duration` seconds; 0 takes the source's own
    /// delays.
    package func preloaded(lasting duration: TimeInterval) -> Image? {
        guard case .source(let source, let first) = representation,
            first.byteCount <= ImageLimits.maximumFrameBytes / (source.frameCount + Self.canvasesBeside)
        else { return nil }
        // What stays with the image must not keep the canvases of all this.
        let decoder = kf.originalFrames == nil ? source : source.playingCopy
        var frame = Image(pixels: first, scale: scale, orientation: imageOrientation)
        let frames = (0..<source.frameCount).map { index in
            if index > 0, let pixels = decoder.frame(at: index) {
                frame = Image(pixels: pixels, scale: scale, orientation: imageOrientation)
            }
            return frame
        }
        let durations: FrameDurations =
            duration == 0
            ? .each((0..<source.frameCount).map(source.duration(at:))) : .even(total: duration)
        var state = withState { $0 }
        state.frameSource = nil
        if duration == 0, imageOrientation == .up { state.preloadedSource = source.playingCopy }
        return Image(.frames(frames, durations), scale: scale, traits: traits, state: state)
    }

    /// An animation on demand with its frames held as `options` ask for it; any other image itself.
    package func holdingFrames(as options: ImageCreatingOptions) -> Image {
        guard case .source = representation, kf.creatingOptions != options.ofAnimation else { return self }
        var state = withState { $0 }
        state.creatingOptions = options.ofAnimation
        let image = Image(
            representation, scale: scale, orientation: imageOrientation, traits: traits, state: state)
        return options.preloadAll ? image.preloaded(lasting: options.duration) ?? image : image
    }
}
