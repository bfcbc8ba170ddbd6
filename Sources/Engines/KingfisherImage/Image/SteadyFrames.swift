package import Foundation
import Synchronization

/// Frames as players show them: a frame that fails to decode is replaced by the frame before it.
///
/// So a file that is corrupt in the middle can be encoded again, and the result plays like the original.
package final class SteadyFrames: PlayableFrameSource {
    /// A frame, and the undecodable ones that follow it. Without this cache, a corrupt file of a thousand
    /// frames would make its source seek backwards for each of them.
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
