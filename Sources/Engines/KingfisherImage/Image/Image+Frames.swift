import Foundation

extension Image {
    package var isStill: Bool {
        switch representation {
        case .empty, .still: true
        case .source(let source, _): source.frameCount <= 1
        case .frames(let frames, _): frames.count <= 1
        }
    }

    package var animationFrames: (any ImageFrameSource)? {
        guard !isStill else { return nil }
        return switch representation {
        case .empty, .still: nil
        case .source(let source, _): source
        case .frames(let frames, let durations):
            DecodedFrames(frames, durations, loopCount: withState(\.loopCount))
        }
    }

    /// The frames to store: the frames of an animation, even if only its first frame was requested.
    public var storableFrames: (any ImageFrameSource)? {
        animationFrames ?? withState(\.hiddenFrames)
    }

    /// The frames of an animation for a caller that retains them: decoded on demand where the image has a
    /// source, otherwise the decoded ones; nil for a still image.
    package var framesToKeep: (any ImageFrameSource)? {
        guard !isStill else { return nil }
        return (withState(\.preloadedSource) ?? animationFrames)?.copy()
    }
}

struct DecodedFrames: ImageFrameSource {
    let data: Data? = nil
    let loopCount: Int
    let frames: [Image]
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
