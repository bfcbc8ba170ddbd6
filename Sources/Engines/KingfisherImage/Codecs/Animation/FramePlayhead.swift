/// The playback position of an animation: the current canvas, and checkpoints for seeking backwards.
struct FramePlayhead<Compositor: FrameCompositor>: Sendable {
    private let compositor: Compositor
    private var next = 0
    /// The canvas below frame `next`; nil for an empty one.
    private var base: PixelBuffer?
    private var last: (number: Int, shown: PixelBuffer)?
    /// Frames that failed to decode, up to the next key frame, and the error. A retry would give the same
    /// result.
    private var failure: (frames: Range<Int>, error: ImageCodecError)?
    /// Canvases by the number of the frame drawn over them.
    private(set) var checkpoints: [Int: PixelBuffer] = [:]
    /// Whether a caller has seeked backwards into the animation. Playback in a loop does not, and would pay
    /// dozens of megabytes for unused checkpoints.
    private var goesBack = false
    private let spacing: Int

    init(_ compositor: Compositor, keepsCheckpoints: Bool = true) {
        self.compositor = compositor
        let kept = keepsCheckpoints ? FrameCheckpoints.bytes / max(compositor.canvasBytes, 1) : 0
        let count = compositor.timing.durations.count
        spacing = kept == 0 ? .max : max(FrameCheckpoints.minimumSpacing, count / kept + 1)
    }

    var canvasCount: Int { (base == nil ? 0 : 1) + (last == nil ? 0 : 1) + checkpoints.count }

    mutating func frame(
        at number: Int, of file: ByteReader
    ) throws(ImageCodecError) -> PixelBuffer {
        if let last, last.number == number { return last.shown }
        if let failure, failure.frames.contains(number) { throw failure.error }
        // Released before the next frame is drawn, which saves a canvas at the peak.
        last = nil
        seek(to: number)
        while true {
            let current = next
            let shown = try advance(file)
            if current == number {
                let image = try compositor.presented(shown)
                last = (number, image)
                return image
            }
        }
    }

    /// Draws frame `next`; on failure the position does not change.
    private mutating func advance(_ file: ByteReader) throws(ImageCodecError) -> PixelBuffer {
        do {
            let shown = try compositor.compose(next, of: file, over: base)
            base = try compositor.base(after: next, shown: shown, over: base)
            next += 1
            if goesBack, next % spacing == 0 { checkpoints[next] = base }
            return shown
        } catch {
            let count = compositor.timing.durations.count
            let end = (next + 1..<count).first(where: compositor.isKeyFrame) ?? count
            failure = (next..<end, error)
            throw error
        }
    }

    private mutating func seek(to number: Int) {
        let key = (0...number).last(where: compositor.isKeyFrame) ?? 0
        let checkpoint = checkpoints.keys.filter { $0 <= number }.max()
        let reachable = next <= number ? next : -1
        goesBack = goesBack || reachable < 0 && key < number
        if reachable >= key, reachable >= checkpoint ?? 0 { return }
        if let checkpoint, checkpoint > key {
            (next, base) = (checkpoint, checkpoints[checkpoint])
        } else {
            (next, base) = (key, nil)
        }
    }
}

private enum FrameCheckpoints {
    static let bytes = 32 << 20
    static let minimumSpacing = 16
}
