/// How far an animation has been played: what the canvas holds, and a few places to start again from.
struct GIFPlayhead: Sendable {
    /// Bytes of canvases kept for going back.
    static let checkpointBytes = 32 << 20
    /// Frames between two checkpoints, at least.
    static let minimumSpacing = 16

    private var next = 0
    /// What frame `next` is drawn over; nil for an empty canvas.
    private var base: PixelBuffer?
    private var last: (number: Int, shown: PixelBuffer)?
    /// What a frame is drawn over, by its number.
    private(set) var checkpoints: [Int: PixelBuffer] = [:]
    /// Whether anybody has gone back to the midst of the animation. Who only plays it over and over would pay
    /// for checkpoints, dozens of megabytes, and never use one.
    private var goesBack = false
    private let spacing: Int

    /// `keepsCheckpoints` is for whoever may go back; without, the canvas and the frame shown last are all that
    /// stays between two calls.
    init(_ index: GIFIndex, keepsCheckpoints: Bool = true) {
        let kept = keepsCheckpoints ? Self.checkpointBytes / (index.canvas.area * 4) : 0
        spacing = kept == 0 ? .max : max(Self.minimumSpacing, index.frames.count / kept + 1)
    }

    /// Canvases that stay between two calls.
    var canvasCount: Int { (base == nil ? 0 : 1) + (last == nil ? 0 : 1) + checkpoints.count }

    mutating func frame(
        at number: Int, with compositor: GIFCompositor
    ) throws(ImageCodecError) -> PixelBuffer {
        if let last, last.number == number { return last.shown }
        // It goes before the next one is drawn: a canvas less at the peak.
        last = nil
        seek(to: number, in: compositor.index)
        while true {
            let current = next
            let shown = try compositor.compose(current, over: base)
            base = try compositor.base(after: current, shown: shown, over: base)
            next = current + 1
            if goesBack, next % spacing == 0 { checkpoints[next] = base }
            if current == number {
                last = (number, shown)
                return shown
            }
        }
    }

    /// Moves `next` to the place nearest before `number` from which it can be reached.
    private mutating func seek(to number: Int, in index: GIFIndex) {
        let key = index.keyFrame(atOrBefore: number)
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
