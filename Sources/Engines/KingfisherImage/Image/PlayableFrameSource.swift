/// A frame source that caches frames for seeking backwards, which players do not need.
package protocol PlayableFrameSource: ImageFrameSource {
    /// A copy that holds only the last requested frame and the canvas of the next one between two calls.
    func copyForPlaying() -> Self
}

extension ImageFrameSource {
    package var playingCopy: any ImageFrameSource {
        (self as? any PlayableFrameSource)?.copyForPlaying() ?? copy()
    }
}
