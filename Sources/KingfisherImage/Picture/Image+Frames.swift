package import Foundation
import Synchronization

extension Image {
    /// The frames of an animation, decoded already or on demand; nil for a still picture.
    package var animationFrames: (any ImageFrameSource)? {
        switch representation {
        case .empty, .still: nil
        case .source(let source, _): source.frameCount > 1 ? source : nil
        case .frames(let frames, let durations):
            frames.count > 1 ? DecodedFrames(frames, durations, loopCount: withState(\.loopCount)) : nil
        }
    }
}

/// Frames that are all there.
struct DecodedFrames: ImageFrameSource {
    let data: Data? = nil
    let loopCount: Int
    private let frames: [Image]
    private let durations: [TimeInterval]

    init(_ frames: [Image], _ durations: FrameDurations, loopCount: Int) {
        self.frames = frames
        self.durations = durations.list(of: frames.count)
        self.loopCount = loopCount
    }

    var frameCount: Int { frames.count }

    func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard frames.indices.contains(index), let pixels = frames[index].kf.normalized.pixels else {
            return nil
        }
        guard let maxSize else { return pixels }
        return try? pixels.resized(to: pixels.size.fitted(within: maxSize))
    }

    func duration(at index: Int) -> TimeInterval {
        durations.indices.contains(index) ? durations[index] : 0
    }

    func copy() -> DecodedFrames { self }
}

/// The frames as players show them: in the place of one that cannot be had stays the one before.
///
/// A file that is broken in its midst can so be written anew, and what is written plays like what was read.
package final class SteadyFrames: ImageFrameSource {
    private struct Gap {
        /// The last frame before the gap.
        var start = 0
        /// The last frame known to belong to it; of a file broken for good, a thousand follow.
        var end = 0
    }

    private let frames: any ImageFrameSource
    private let gap = Mutex(Gap())

    package init(_ frames: any ImageFrameSource) {
        self.frames = frames
    }

    package var data: Data? { frames.data }
    package var frameCount: Int { frames.frameCount }
    package var loopCount: Int { frames.loopCount }

    package func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? {
        guard (0..<frameCount).contains(index) else { return nil }
        var start = index
        while start >= 0 {
            if let pixels = frames.frame(at: start, maxSize: maxSize) {
                gap.withLock { $0 = Gap(start: start, end: index) }
                return pixels
            }
            let known = gap.withLock { $0 }
            start = start - 1 > known.start && start - 1 <= known.end ? known.start : start - 1
        }
        return nil
    }

    package func duration(at index: Int) -> TimeInterval { frames.duration(at: index) }

    package func copy() -> SteadyFrames { SteadyFrames(frames.copy()) }
}
