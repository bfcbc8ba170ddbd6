import Dispatch
import KingfisherImage

/// An image view that plays animations of any length in little memory. It decodes each frame in the
/// background, shortly before it is due.
///
/// All views of one image share its frames, and all views together stay within `frameMemoryLimit`. A view
/// that is not on screen decodes nothing and pauses; it resumes at the same frame. If a frame is late, the
/// previous one stays visible. Some settings apply from the next image on. If the user has turned animations
/// off, the view shows the first frame, and the delegate is not notified; see `motion`.
@MainActor open class AnimatedImageView: ImageView {
    /// The number of times an animation is played.
    public enum RepeatCount: Equatable, Sendable {
        /// Once.
        case once
        /// This number of times; 0 shows the first frame.
        case finite(count: UInt)
        /// Forever, regardless of the loop count of the file.
        case infinite

        fileprivate var plays: UInt? {
            switch self {
            case .once: 1
            case .finite(let count): count
            case .infinite: nil
            }
        }
    }

    /// The maximum number of bytes for decoded frames of all views in the process; 64 MiB by default. Safe
    /// from any thread.
    ///
    /// The frames that are due last are evicted first. The visible frame and the one after it are never
    /// evicted, even above the limit.
    nonisolated public static var frameMemoryLimit: Int {
        get { FrameBudget.shared.limit }
        set { FrameBudget.shared.limit = newValue }
    }

    /// The bytes of decoded frames of all views, including the memory of their decoders. Safe from any
    /// thread.
    nonisolated public static var frameMemoryInUse: Int { FrameBudget.shared.used }

    /// Whether an image starts to play automatically. Applies from the next image on.
    public var autoPlayAnimatedImage = true
    /// The number of frames to decode ahead of the current one. Applies from the next image on.
    public var framePreloadCount = 10
    /// Whether frames that are larger than the view are decoded at the view's size in pixels.
    public var needsPrescaling = true {
        didSet { if needsPrescaling != oldValue { updatePlayback() } }
    }
    /// Whether frames are decoded in the background. Otherwise each frame is decoded on the main thread when
    /// it is due: it is never late, but may block the main thread. Applies from the next image on.
    public var backgroundDecode = true
    /// The number of times the animation is played. A change restarts it.
    public var repeatCount = RepeatCount.infinite {
        didSet { if repeatCount != oldValue { restartPlayback() } }
    }
    /// Whether decoded frames, except the current one, are released when the view leaves the screen.
    ///
    /// This is the closest equivalent on a desktop to an app that enters the background.
    public var purgeFramesOnBackground = false
    /// Is notified of loops and of the end; held weakly.
    public weak var delegate: (any AnimatedImageViewDelegate)?
    /// Decodes the frames; nil if the image has no frames to decode.
    public private(set) var animator: Animator?

    var frameBudget = FrameBudget.shared
    private var wasSeen = false

    /// Whether the image plays. Setting it calls `startAnimating` or `stopAnimating`.
    public var animates: Bool {
        get { isAnimating }
        set { newValue ? startAnimating() : stopAnimating() }
    }

    /// How the image is fitted into the view. Frames are decoded again if they need another size.
    open override var contentMode: ViewContentMode {
        didSet { if contentMode != oldValue { updatePlayback() } }
    }

    /// Releases decoded frames that no other view needs, in the background. They are decoded again when they
    /// are due.
    ///
    /// Without the current frame, the view shows the first frame of the animation until then.
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
    override var startsAutomatically: Bool { autoPlayAnimatedImage }

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

    /// A serial queue, because frames build on each other. It targets a global queue, so that many views do
    /// not create more threads than cores.
    private static func makeQueue() -> DispatchQueue {
        DispatchQueue(
            label: "com.onevcat.Kingfisher.Animator.preloadQueue", target: .global(qos: .userInitiated))
    }
}
