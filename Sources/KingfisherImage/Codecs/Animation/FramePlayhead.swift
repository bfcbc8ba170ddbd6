/// How far an animation has been played: what the canvas holds, and a few places to start again from.
struct FramePlayhead<Compositor: FrameCompositor>: Sendable {
    private let compositor: Compositor
    private var next = 0
    /// What frame `next` is drawn over; nil for an empty canvas.
    private var base: PixelBuffer?
    private var last: (number: Int, shown: PixelBuffer)?
    /// Frames that cannot be had, up to the next that depends on none of them, and why: a compositor never
    /// finds anything else.
    private var broken: (frames: Range<Int>, error: ImageCodecError)?
    /// What a frame is drawn over, by its number.
    private(set) var checkpoints: [Int: PixelBuffer] = [:]
    /// Whether anybody has gone back to the midst of the animation. Who only plays it over and over would pay
    /// for checkpoints, dozens of megabytes, and never use one.
    private var goesBack = false
    private let spacing: Int

    /// `keepsCheckpoints` is for whoever may go back; without, the canvas and the frame shown last are all
    /// that stays between two calls.
    init(_ compositor: Compositor, keepsCheckpoints: Bool = true) {
        self.compositor = compositor
        let kept = keepsCheckpoints ? FrameCheckpoints.bytes / max(compositor.canvasBytes, 1) : 0
        let count = compositor.timing.durations.count
        spacing = kept == 0 ? .max : max(FrameCheckpoints.minimumSpacing, count / kept + 1)
    }

    /// Canvases that stay between two calls.
    var canvasCount: Int { (base == nil ? 0 : 1) + (last == nil ? 0 : 1) + checkpoints.count }

    mutating func frame(
        at number: Int, of file: ByteReader
    ) throws(ImageCodecError) -> PixelBuffer {
        if let last, last.number == number { return last.shown }
        if let broken, broken.frames.contains(number) { throw broken.error }
        // It goes before the next one is drawn: a canvas less at the peak.
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

    /// Draws frame `next`, and stays before it where that fails.
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
            broken = (next..<end, error)
            throw error
        }
    }

    /// Moves `next` to the place nearest before `number` from which it can be reached.
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

/// What an animation keeps for going back.
private enum FrameCheckpoints {
    /// Bytes of canvases.
    static let bytes = 32 << 20
    /// Frames between two, at least.
    static let minimumSpacing = 16
}
