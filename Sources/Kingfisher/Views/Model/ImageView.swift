public import Foundation
public import KingfisherImage

/// A view that shows an image: `imageView.kf.setImage(with: url)`.
///
/// Holds the image, how it is fitted and the transition under way; a toolkit draws them.
@MainActor open class ImageView: View {
    /// The image shown. Setting it ends a running transition at once.
    ///
    /// One with `images` plays by itself, for ever, as long as the view is on screen. Of one whose frames are
    /// decoded on demand the first is shown; see `AnimatedImageView`.
    open var image: Image? {
        didSet {
            let interrupted = takeTransition()
            if image !== oldValue {
                updatePlayback()
                renderer?.viewDidChange(image?.size == oldValue?.size ? .content : .size)
            }
            // Last, because whoever is called may set another image.
            interrupted?(false)
        }
    }

    /// How the image is fitted into the view.
    open var contentMode: ViewContentMode = .scaleToFill {
        didSet { if contentMode != oldValue { renderer?.viewDidChange(.content) } }
    }

    /// Whether the view, with all its subviews, is left out when its superview is drawn. A hidden animation
    /// rests.
    open override var isHidden: Bool {
        didSet { if isHidden != oldValue { updatePlayback() } }
    }

    /// What plays the frames of `image`; nil for a still image.
    private(set) var player: FramePlayer?

    /// The transition under way.
    public private(set) var runningTransition: RunningTransition?
    private var transitionCompletion: ((_ finished: Bool) -> Void)?

    /// What `kf` keeps for the view.
    var loading = ImageViewLoading()

    /// Makes a view that shows `image`; from any thread.
    nonisolated public init(image: Image?) {
        self.image = image
        super.init()
    }

    /// Makes a view without an image; from any thread.
    nonisolated public override convenience init() {
        self.init(image: nil)
    }

    isolated deinit {
        // Whoever waits for the end of a transition is owed an answer, even by a view that has gone.
        transitionCompletion?(false)
    }

    /// The image to draw now: `image`, or the frame of it that is due.
    open var displayedImage: Image? { player?.shown ?? image }

    // MARK: Playing

    /// Whether the image plays, or will go on once it is seen again.
    open var isAnimating: Bool { player?.isPlaying ?? false }

    /// Plays an animated image on from its current frame, or anew when it has come to its end.
    open func startAnimating() {
        preparePlayer()
        player?.start()
        updatePlayback()
    }

    /// Stays at the current frame.
    open func stopAnimating() {
        preparePlayer()
        player?.stop()
        updatePlayback()
    }

    /// How often an animated image is played; nil means for ever.
    var plays: UInt? { nil }
    /// Whether an animated image begins to play without being told to.
    var playsBySelf: Bool { true }

    /// The frames to be played; nil for an image that stands still.
    func makeFrames(of image: Image?) -> (any FrameSupply)? {
        image.flatMap(DecodedFrames.init(of:))
    }

    /// Takes note of a loop that was played, or of the last one.
    func playbackDidReach(_ event: FrameTimeline.Event) {}

    /// Whether anybody can see the view.
    var isSeen: Bool { !isHidden && renderer?.display.isVisible == true }

    /// Sees to it that the player is the one of the image; an initialiser could not.
    func preparePlayer() {
        guard player?.image !== image else { return }
        player?.update(isSeen: false, at: currentClock.now)
        player = nil
        if let frames = makeFrames(of: image), let image {
            player = FramePlayer(image, frames: frames, plays: plays, isStarted: playsBySelf)
        }
    }

    /// Has frames played if the view is seen and is to play, and not otherwise.
    func updatePlayback() {
        preparePlayer()
        guard let player else { return }
        player.update(isSeen: isSeen, at: currentClock.now)
        renderer?.viewDidChange(.animation)
    }

    /// Plays the image from its start, as if it were new.
    func restartPlayback() {
        player?.update(isSeen: false, at: currentClock.now)
        player = nil
        updatePlayback()
    }

    /// Takes note that a frame has come which the player waits for.
    func frameDidArrive() {
        player?.frameDidArrive()
        renderer?.viewDidChange(.animation)
    }

    // MARK: Transitions

    /// Makes `changes` to the view and lets it go over from its old state to the new one.
    ///
    /// `changes` runs before the call returns. `completion` runs once: with true when the transition has run
    /// its time, with false when it was cut short by another change of the image or by the view leaving
    /// the screen; at once with true when there is nothing to animate or nobody to see it.
    public func transition(
        _ kind: ImageTransition, changes: () -> Void, completion: ((_ finished: Bool) -> Void)? = nil
    ) {
        let animates = kind.duration > 0 && renderer?.canAnimate == true
        let (origin, oldPresentation) = (animates ? currentAppearance : .image(nil), presentation)
        let interrupted = takeTransition()
        changes()
        // The changes may have begun one of their own.
        let inner = takeTransition()
        // The changes may have taken the view off the screen.
        let isSeen = animates && renderer?.canAnimate == true
        if isSeen {
            runningTransition = RunningTransition(
                origin: origin, image: image, effect: kind.effect,
                presentation: (from: oldPresentation, to: super.presentation), curve: kind.curve,
                start: currentClock.now, duration: kind.duration)
            transitionCompletion = completion
            renderer?.viewDidChange(.animation)
        }
        // Last, because whoever is called may begin another transition or set another image.
        interrupted?(false)
        inner?(false)
        if !isSeen { completion?(true) }
    }

    /// How far the running transition has come now, from 0 to 1; 1 without one.
    public var transitionProgress: Double {
        runningTransition?.progress(at: currentClock.now) ?? 1
    }

    /// An image alone is kept as such; subviews need the toolkit to keep what they look like.
    private var currentAppearance: RunningTransition.Origin {
        if subviews.contains(where: { !$0.isHidden }), let snapshot = renderer?.snapshot() {
            .snapshot(snapshot)
        } else {
            .image(displayedImage)
        }
    }

    /// Takes the running transition away and hands out what its end is to be told to.
    private func takeTransition() -> ((_ finished: Bool) -> Void)? {
        guard runningTransition != nil else { return nil }
        let completion = transitionCompletion
        runningTransition = nil
        transitionCompletion = nil
        renderer?.viewDidChange(.content)
        // An image that is to be decoded anew has waited for this.
        followDisplayLater()
        return completion
    }

    /// Opacity and transform to draw with now: those of the running transition, if it moves them.
    open override var presentation: ViewPresentation {
        let own = super.presentation
        return runningTransition?.presentation(of: own, at: currentClock.now) ?? own
    }

    /// When the view will look different by itself: at once during a transition, else with its next frame.
    open override var nextFrameTime: TimeInterval? {
        let now = currentClock.now
        return runningTransition == nil ? player?.nextChange(at: now) : now
    }

    /// Ends a transition that has run its time and goes on to the animation's frame that is due. Completions
    /// and delegates are called from here.
    open override func advance() {
        if runningTransition != nil, transitionProgress >= 1 { takeTransition()?(true) }
        let played = player
        for event in played?.advance(to: currentClock.now) ?? [] {
            // Who heard of the one before may have changed the image.
            guard player === played else { break }
            playbackDidReach(event)
        }
    }

    /// Lets frames run or rest, and cuts a transition short that nobody sees any more.
    ///
    /// What changes the view otherwise, such as a load that has waited for a layout, comes after the call,
    /// and so do completion handlers.
    open override func displayDidChange() {
        updatePlayback()
        // No more frames will come, and somebody may wait for the end. They hear of it later: a toolkit may
        // be in the midst of taking this view and its neighbours off the screen, and not ready for changes.
        if renderer?.display.isVisible != true, let interrupted = takeTransition() {
            Task { interrupted(false) }
        }
        followDisplayLater()
    }
}

/// The name that code shared with Apple's systems uses for `ImageView`.
public typealias KFCrossPlatformImageView = ImageView

extension ImageView: KingfisherCompatible {}
