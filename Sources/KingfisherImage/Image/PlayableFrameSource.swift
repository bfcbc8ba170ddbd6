/// Frames of a source that spends memory on going back, which players have no use for.
package protocol PlayableFrameSource: ImageFrameSource {
    /// A source as `copy` makes one that keeps no more between two calls than the frame asked for last and
    /// the canvas that the next one is drawn over.
    func copyForPlaying() -> Self
}

extension ImageFrameSource {
    /// A copy for a player.
    package var playingCopy: any ImageFrameSource {
        (self as? any PlayableFrameSource)?.copyForPlaying() ?? copy()
    }
}
