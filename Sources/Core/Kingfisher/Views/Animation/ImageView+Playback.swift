public import Foundation

extension ImageView {
    /// The number of frames of an animated image; 0 if the image does not play in this view.
    public var frameCount: Int {
        preparePlayer()
        return player?.frameCount ?? 0
    }

    /// The index of the current frame, starting at 0. After a seek, it is the target even before its frame is
    /// decoded.
    public var currentFrameIndex: Int {
        preparePlayer()
        return player?.index ?? 0
    }

    /// The duration of one loop at rate 1, in seconds; 0 if the image does not play in this view.
    public var playbackDuration: TimeInterval {
        preparePlayer()
        return player?.duration ?? 0
    }

    /// The position in the current loop at rate 1, in seconds from its start.
    public var playbackPosition: TimeInterval {
        preparePlayer()
        return player?.position(at: currentClock.now) ?? 0
    }

    /// Moves an animated image to the start of a frame, whether or not it plays.
    ///
    /// The index is clamped. The frame is decoded in the background if necessary; the previous one stays
    /// visible, and the animation does not move, until then. Frames of a GIF build on each other, so a frame
    /// that is far from the current one may take as long as decoding all frames before it.
    ///
    /// The number of completed loops does not change, and the delegate is not notified. After the end of the
    /// last loop, the animation stays paused; `startAnimating()` plays the rest of that loop.
    public func seek(toFrame index: Int) {
        seek { $0.seek(toFrame: index, at: $1) }
    }

    /// Moves an animated image to a position in the current loop, in seconds at rate 1 from its start.
    ///
    /// The time is clamped to the loop. Otherwise like `seek(toFrame:)`.
    public func seek(to time: TimeInterval) {
        seek { $0.seek(to: time, at: $1) }
    }

    private func seek(_ move: (FramePlayer, TimeInterval) -> Void) {
        // First, so that the frame is decoded in the size of the view.
        updatePlayback()
        guard let player else { return }
        move(player, currentClock.now)
        updatePlayback()
        renderer?.viewDidChange(.content)
    }

    func playbackRateDidChange() {
        player?.setRate(playbackRate, at: currentClock.now)
        updatePlayback()
    }
}
