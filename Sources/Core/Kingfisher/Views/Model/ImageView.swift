public import Foundation
public import KingfisherImage

/// A view that shows an image: `imageView.kf.setImage(with: url)`.
///
/// Holds the image, its content mode and the running transition; a toolkit draws them.
@MainActor open class ImageView: View {
    /// The image. Setting it ends a running transition immediately.
    ///
    /// An image with `images` plays automatically and forever while the view is on screen. Of an image whose
    /// frames are decoded on demand, only the first frame is shown; see `AnimatedImageView`.
    open var image: Image? {
        didSet {
            let interrupted = takeTransition()
            if image !== oldValue {
                updatePlayback()
                renderer?.viewDidChange(image?.size == oldValue?.size ? .content : .size)
            }
            // Last, because the callback may set another image.
            interrupted?(false)
        }
    }

    /// How the image is fitted into the view.
    open var contentMode: ViewContentMode = .scaleToFill {
        didSet { if contentMode != oldValue { renderer?.viewDidChange(.content) } }
    }

    /// Whether the view and all its subviews are hidden. A hidden animation pauses.
    open override var isHidden: Bool {
        didSet { if isHidden != oldValue { updatePlayback() } }
    }

    /// The speed of an animated image; 1 by default, 2 for twice the speed of the file.
    ///
    /// 0 pauses at the current frame. A value that is negative or not a number counts as 0, one above 100 as
    /// 100. It applies to all images of the view.
    open var playbackRate: Double = 1 {
        didSet {
            playbackRate = playbackRate > 0 ? min(playbackRate, 100) : 0
            if playbackRate != oldValue { playbackRateDidChange() }
        }
    }

    /// Whether an animated image plays only while `isHovered`; otherwise it pauses at its current frame.
    ///
    /// `stopAnimating()` stops it in both cases.
    open var playsOnHover = false {
        didSet {
            guard playsOnHover != oldValue else { return }
            updatePlayback()
            // Also without an animation, so that the toolkit starts or stops to set `isHovered`.
            renderer?.viewDidChange(.animation)
        }
    }

    /// Whether the pointer is over the view, or the keyboard focus is at it; set by the toolkit while
    /// `playsOnHover` is set.
    open var isHovered = false {
        didSet { if isHovered != oldValue, playsOnHover { updatePlayback() } }
    }

    private(set) var player: FramePlayer?
    private var hasAllowedMotion = true

    /// The running transition, or nil.
    public private(set) var runningTransition: RunningTransition?
    private var transitionCompletion: ((_ finished: Bool) -> Void)?

    var loading = ImageViewLoading()

    /// Creates a view that shows `image`; callable from any thread.
    nonisolated public init(image: Image?) {
        self.image = image
        super.init()
    }

    /// Creates a view without an image; callable from any thread.
    nonisolated public override convenience init() {
        self.init(image: nil)
    }

    isolated deinit {
        // The completion of a transition is called even if the view is released.
        transitionCompletion?(false)
    }

    /// The image to draw: `image`, its current frame, or its variant for the appearance of the desktop.
    open var displayedImage: Image? { (player?.shown ?? image)?.variant(for: environment.appearance) }

    /// An image; named by `alternativeText` or, while a placeholder view is shown, by that view. Busy during
    /// a load.
    open override var accessibility: ViewAccessibility {
        let substitute = (loading.placeholder as? View)?.accessibility.label
        return ViewAccessibility(
            role: .image, label: alternativeText ?? (substitute?.isEmpty == true ? nil : substitute),
            isBusy: loading.current.identifier != nil)
    }

    // MARK: Playing

    /// Whether the image plays, or will continue when the view becomes visible.
    open var isAnimating: Bool { player?.isPlaying ?? false }

    /// Plays an animated image from its current frame, or from the start if it has finished.
    ///
    /// It does not move while the user's settings turn animations off, unless `motion` is `.always`.
    open func startAnimating() {
        preparePlayer()
        player?.start()
        updatePlayback()
    }

    /// Stops an animated image at its current frame.
    open func stopAnimating() {
        preparePlayer()
        player?.stop()
        updatePlayback()
    }

    var plays: UInt? { nil }
    var startsAutomatically: Bool { true }

    func makeFrames(of image: Image?) -> (any FrameSupply)? {
        image.flatMap(DecodedFrames.init(of:))
    }

    func playbackDidReach(_ event: FrameTimeline.Event) {}

    var isSeen: Bool { !isHidden && renderer?.display.isVisible == true }

    /// Creates the player of a new image. Not in `init`, which is not isolated to the main actor.
    func preparePlayer() {
        guard player?.image !== image else { return }
        player?.update(isSeen: false, mayMove: false, at: currentClock.now)
        player = nil
        if let frames = makeFrames(of: image), let image {
            player = FramePlayer(
                image, frames: frames, plays: plays, rate: playbackRate, isStarted: startsAutomatically)
        }
    }

    func updatePlayback() {
        preparePlayer()
        guard let player else { return }
        let mayMove = allowsMotion && (!playsOnHover || isHovered)
        player.update(isSeen: isSeen, mayMove: mayMove, at: currentClock.now)
        renderer?.viewDidChange(.animation)
    }

    func restartPlayback() {
        player?.update(isSeen: false, mayMove: false, at: currentClock.now)
        player = nil
        updatePlayback()
    }

    func frameDidArrive() {
        player?.frameDidArrive()
        renderer?.viewDidChange(.animation)
    }

    // MARK: Transitions

    /// Applies `changes` to the view and animates from the old state to the new one.
    ///
    /// `changes` runs before the call returns. `completion` runs once: with true after the full duration or
    /// when the user turns animations off, or with false if another change of the image interrupted the
    /// transition or the view left the screen. If there is nothing to animate, the view is not visible, or it
    /// may not move (`allowsMotion`), it runs synchronously with true. In a right-to-left layout, flips from
    /// the left and from the right are exchanged.
    public func transition(
        _ kind: ImageTransition, changes: () -> Void, completion: ((_ finished: Bool) -> Void)? = nil
    ) {
        let animates = kind.duration > 0 && canTransition
        let (origin, oldPresentation) = (animates ? currentAppearance : .image(nil), presentation)
        let interrupted = takeTransition()
        changes()
        // The changes may have started another transition.
        let inner = takeTransition()
        // The changes may have removed the view from the screen.
        let isSeen = animates && canTransition
        if isSeen {
            runningTransition = RunningTransition(
                origin: origin, image: image, effect: kind.effect.following(environment.layoutDirection),
                presentation: (from: oldPresentation, to: super.presentation), curve: kind.curve,
                start: currentClock.now, duration: kind.duration)
            transitionCompletion = completion
            renderer?.viewDidChange(.animation)
        }
        // Last, because the callbacks may start another transition or set another image.
        interrupted?(false)
        inner?(false)
        if !isSeen { completion?(true) }
    }

    private var canTransition: Bool { renderer?.canAnimate == true && allowsMotion }

    /// The progress of the running transition, from 0 to 1; 1 without a transition.
    public var transitionProgress: Double {
        runningTransition?.progress(at: currentClock.now) ?? 1
    }

    /// Without subviews, the image is enough; otherwise the toolkit takes a snapshot.
    private var currentAppearance: RunningTransition.Origin {
        if subviews.contains(where: { !$0.isHidden }), let snapshot = renderer?.snapshot() {
            .snapshot(snapshot)
        } else {
            .image(displayedImage)
        }
    }

    private func takeTransition() -> ((_ finished: Bool) -> Void)? {
        guard runningTransition != nil else { return nil }
        let completion = transitionCompletion
        runningTransition = nil
        transitionCompletion = nil
        renderer?.viewDidChange(.content)
        // Decoding an image again was deferred until the end of the transition.
        followDisplayLater()
        return completion
    }

    /// The opacity and transform to draw with, including the effect of a running transition.
    open override var presentation: ViewPresentation {
        let own = super.presentation
        return runningTransition?.presentation(of: own, at: currentClock.now) ?? own
    }

    /// The time of the next change: immediately during a transition, otherwise the time of the next frame.
    open override var nextFrameTime: TimeInterval? {
        let now = currentClock.now
        return runningTransition == nil ? player?.nextChange(at: now) : now
    }

    /// Ends a transition whose time is over and shows the current frame of an animation. Calls completions
    /// and delegates.
    open override func advance() {
        if runningTransition != nil, transitionProgress >= 1 { takeTransition()?(true) }
        let played = player
        for event in played?.advance(to: currentClock.now) ?? [] {
            // The delegate may have changed the image.
            guard player === played else { break }
            playbackDidReach(event)
        }
    }

    /// Starts or pauses playback, and interrupts a transition if the view is no longer visible.
    ///
    /// Other changes of the view, such as starting a load that waited for a layout, and completion handlers
    /// run after the call.
    open override func displayDidChange() {
        updatePlayback()
        // No more frames will be drawn, so the completion is called. It is called asynchronously: the toolkit
        // may be in the middle of removing views from the screen.
        if renderer?.display.isVisible != true, let interrupted = takeTransition() {
            Task { interrupted(false) }
        }
        followDisplayLater()
    }

    /// Whether the view waits for its place on screen, or loads an image.
    open override var followsScrolling: Bool { loading.wait != nil || loading.running != nil }

    /// Starts a load that waited for the view, and adapts the priority of a running one.
    open override func scrollPlaceDidChange() {
        startWaitingLoad()
        updateRunningLoad()
    }

    /// Redraws the image in its variant for the new settings, and starts or ends motion.
    ///
    /// Without motion, a running transition ends, and an animation that plays shows its first frame.
    open override func environmentDidChange() {
        super.environmentDidChange()
        renderer?.viewDidChange(.content)
    }

    override func motionDidChange() {
        super.motionDidChange()
        guard allowsMotion != hasAllowedMotion else { return }
        hasAllowedMotion.toggle()
        if !hasAllowedMotion { player?.rewind(at: currentClock.now) }
        updatePlayback()
        renderer?.viewDidChange(.content)
        // Last, because the callback may change the view.
        if !hasAllowedMotion { takeTransition()?(true) }
    }
}

/// The name that code shared with Apple's systems uses for `ImageView`.
public typealias KFCrossPlatformImageView = ImageView

extension ImageView: KingfisherCompatible {}
