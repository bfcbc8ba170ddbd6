package import Foundation
import Synchronization

/// The frames as players show them: in the place of one that cannot be had stays the one before.
///
/// A file that is broken in its midst can so be written anew, and what is written plays like what was read.
package final class SteadyFrames: PlayableFrameSource {
    /// A frame, and those behind it that cannot be had. Of a file broken for good, a thousand follow, and for
    /// each of them a source would have to go back.
    private struct Run {
        let shown: PixelBuffer
        let maxSize: CGSize?
        let frames: ClosedRange<Int>
    }

    private let frames: any ImageFrameSource
    private let run = Mutex<Run?>(nil)

    package init(_ frames: any ImageFrameSource) {
        self.frames = frames
    }

    package var data: Data? { frames.data }
    package var frameCount: Int { frames.frameCount }
    package var loopCount: Int { frames.loopCount }

    package func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard (0..<frameCount).contains(index) else { return nil }
        let known = run.withLock { $0 }
        var number = index
        while number >= 0 {
            let isKnown = known?.frames.contains(number) ?? false
            if isKnown, let known { number = known.frames.lowerBound }
            let shown = isKnown && known?.maxSize == maxSize ? known?.shown : nil
            if let shown = shown ?? frames.frame(at: number, maxSize: maxSize) {
                let end = isKnown ? max(index, known?.frames.upperBound ?? 0) : index
                run.withLock { $0 = Run(shown: shown, maxSize: maxSize, frames: number...end) }
                return shown
            }
            number -= 1
        }
        return nil
    }

    package func duration(at index: Int) -> TimeInterval { frames.duration(at: index) }

    package func copy() -> SteadyFrames { SteadyFrames(frames.copy()) }

    package func copyForPlaying() -> SteadyFrames { SteadyFrames(frames.playingCopy) }
}
