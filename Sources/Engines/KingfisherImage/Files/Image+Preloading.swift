package import Foundation

extension Image {
    private static let compositorCanvases = 2

    /// The animation with all frames in memory; nil if it is not decoded on demand, or if the frames and the
    /// compositor's canvases would exceed `ImageLimits.maximumFrameBytes`.
    ///
    /// A frame that fails to decode is replaced by the frame before it, as the same object. One loop lasts
    /// `duration` seconds; 0 takes the source's delays.
    package func preloaded(lasting duration: TimeInterval) -> Image? {
        guard case .source(let source, let first) = representation,
            first.byteCount <= ImageLimits.maximumFrameBytes / (source.frameCount + Self.compositorCanvases)
        else { return nil }
        // The image retains its source; that one must not retain the canvases of this loop.
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

    package func holdingFrames(as options: ImageCreatingOptions) -> Image {
        guard case .source = representation, kf.creatingOptions != options.ofAnimation else { return self }
        var state = withState { $0 }
        state.creatingOptions = options.ofAnimation
        let image = Image(
            representation, scale: scale, orientation: imageOrientation, traits: traits, state: state)
        return options.preloadAll ? image.preloaded(lasting: options.duration) ?? image : image
    }
}
