import Dispatch
import KingfisherImage

/// An image view that plays animations of any length in little memory: it decodes each frame shortly before
/// it is due, in the background.
///
/// Frames are shared by all views of one image, and all views together keep to `frameMemoryLimit`.
/// Nothing is decoded while the view is not on screen; it goes on where it was. A frame that is late leaves
/// the one before in its place. Settings marked so count from the next image on.
@MainActor open class AnimatedImageView: ImageView {
    /// How often an animation is played.
    public enum RepeatCount: Equatable, Sendable {
        /// A single time.
        case once
        /// So many times; 0 leaves the first frame.
        case finite(count: UInt)
        /// For ever, whatever the file says.
        case infinite

        fileprivate var plays: UInt? {
            switch self {
            case .once: 1
            case .finite(let count): count
            case .infinite: nil
            }
        }
    }

    /// Bytes that decoded frames of all views in the process may take, 64 MB at first; from any thread.
    ///
    /// Frames whose time is farthest away go first. What is on screen, and the frame after it, is kept even
    /// where that takes more.
    nonisolated public static var frameMemoryLimit: Int {
        get { FrameBudget.shared.limit }
        set { FrameBudget.shared.limit = newValue }
    }

    /// Bytes that decoded frames of all views take now, their decoders' own included; from any thread.
    nonisolated public static var frameMemoryInUse: Int { FrameBudget.shared.used }

    /// Whether an image begins to play by itself. Counts from the next image on.
    public var autoPlayAnimatedImage = true
    /// How many frames after the current one are decoded ahead. Counts from the next image on.
    public var framePreloadCount = 10
    /// Whether frames are shrunk to the view's size in pixels, where they are larger.
    public var needsPrescaling = true {
        didSet { if needsPrescaling != oldValue { updatePlayback() } }
    }
    /// Whether frames are decoded in the background; if not, each is decoded on the main thread when it is
    /// due, which keeps it from being late but may hold everything else up. Counts from the next image
    /// on.
    public var backgroundDecode = true
    /// How often the animation is played. A change starts it anew.
    public var repeatCount = RepeatCount.infinite {
        didSet { if repeatCount != oldValue { restartPlayback() } }
    }
    /// Whether decoded frames are let go of when the view leaves the screen, all but the current one.
    ///
    /// A desktop has no background to send programs to; a window that is closed or a page that is turned
    /// is what comes nearest.
    public var purgeFramesOnBackground = false
    /// Hears of loops and of the end; not kept by the view.
    public weak var delegate: (any AnimatedImageViewDelegate)?
    /// What decodes the frames; nil while the image has none to be decoded.
    public private(set) var animator: Animator?

    /// Where frames are accounted for.
    var frameBudget = FrameBudget.shared
    private var wasSeen = false

    /// Whether the image plays; setting it starts or stops it, as `startAnimating` and `stopAnimating` do.
    public var animates: Bool {
        get { isAnimating }
        set { newValue ? startAnimating() : stopAnimating() }
    }

    /// How the image is fitted into the view. Frames are decoded anew where that needs another size.
    open override var contentMode: ViewContentMode {
        didSet { if contentMode != oldValue { updatePlayback() } }
    }

    /// Lets go of decoded frames that no other view needs, in the background; they are decoded again when
    /// they are due. Without the current one the view shows the animation's first frame until then.
    public func purgeFrames(keepCurrentFrame: Bool = true) {
        animator?.purgeFrames(keepCurrentFrame: keepCurrentFrame)
        guard !keepCurrentFrame, let player else { return }
        player.forgetShown()
        renderer?.viewDidChange(.content)
    }

    override func makeFrames(of image: Image?) -> (any FrameSupply)? {
        animator = nil
        guard let image, let source = image.kf.frameSource, source.frameCount > 0 else {
            return super.makeFrames(of: image)
        }
        let animator = Animator(
            image, source: source, framePreloadCount: framePreloadCount, queue: Self.makeQueue(),
            decodesInBackground: backgroundDecode, budget: frameBudget,
            frameDidArrive: { [weak self] in
                DispatchQueue.main.async { MainActor.assumeIsolated { self?.frameDidArrive() } }
            })
        self.animator = animator
        return animator
    }

    override var plays: UInt? { repeatCount.plays }
    override var playsBySelf: Bool { autoPlayAnimatedImage }

    override func updatePlayback() {
        preparePlayer()
        updateFrameScale()
        super.updatePlayback()
        if wasSeen, !isSeen, purgeFramesOnBackground { purgeFrames() }
        wasSeen = isSeen
    }

    override func playbackDidReach(_ event: FrameTimeline.Event) {
        switch event {
        case .loop(let count): delegate?.animatedImageView(self, didPlayAnimationLoops: count)
        case .finished: delegate?.animatedImageViewDidFinishAnimating(self)
        }
    }

    private func updateFrameScale() {
        guard let animator, let display = renderer?.display else { return }
        let image = animator.image
        let needed =
            needsPrescaling
            ? FrameScale(of: image.size, scale: image.scale, contentMode: contentMode, on: display) : .full
        guard let needed, animator.scale != animator.scale.changed(to: needed) else { return }
        animator.setScale(animator.scale.changed(to: needed))
        player?.frameSizeDidChange()
    }

    /// Frames of one view come in order. The threads are the shared ones, as many as there are cores: twenty
    /// views must not crowd the main thread out.
    private static func makeQueue() -> DispatchQueue {
        DispatchQueue(
            label: "com.onevcat.Kingfisher.Animator.preloadQueue", target: .global(qos: .userInitiated))
    }
}
