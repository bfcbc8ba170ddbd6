import Foundation
public import KingfisherImage

/// A view that shows a picture: `imageView.kf.setImage(with: url)`.
///
/// Holds the picture, how it is fitted and the transition under way; a toolkit draws them.
@MainActor open class ImageView: View {
    /// The picture shown. Setting it ends a running transition at once.
    open var image: Image? {
        didSet {
            cutTransitionShort()
            guard image !== oldValue else { return }
            renderer?.viewDidChange(image?.size == oldValue?.size ? .content : .size)
        }
    }

    /// How the picture is fitted into the view.
    open var contentMode: ViewContentMode = .scaleToFill {
        didSet { if contentMode != oldValue { renderer?.viewDidChange(.content) } }
    }

    /// The time of transitions; nil takes the toolkit's clock.
    public var clock: (any AnimationClock)?

    /// The transition under way.
    public private(set) var runningTransition: RunningTransition?
    private var transitionCompletion: ((_ finished: Bool) -> Void)?
    private let fallbackClock = MonotonicAnimationClock()

    /// What `kf` keeps for the view.
    var loading = ImageViewLoading()

    /// Makes a view that shows `image`; from any thread.
    nonisolated public init(image: Image?) {
        self.image = image
        super.init()
    }

    /// Makes a view without a picture; from any thread.
    nonisolated public override convenience init() {
        self.init(image: nil)
    }

    isolated deinit {
        // Whoever waits for the end of a transition is owed an answer, even by a view that has gone.
        transitionCompletion?(false)
    }

    /// Makes `changes` to the view and lets the picture go over from the old state to the new one.
    ///
    /// `changes` runs before the call returns. `completion` runs once: with true when the transition has run
    /// its time, with false when it was cut short by another change of the picture or by the view leaving
    /// the screen; at once with true when there is nothing to animate or nobody to see it.
    public func transition(
        _ kind: ImageTransition, changes: () -> Void, completion: ((_ finished: Bool) -> Void)? = nil
    ) {
        let from = image
        changes()
        cutTransitionShort()
        guard kind.duration > 0, let renderer, renderer.canAnimate else {
            completion?(true)
            return
        }
        runningTransition = RunningTransition(from: from, to: image, kind: kind, start: currentClock.now)
        transitionCompletion = completion
        renderer.viewDidChange(.animation)
    }

    /// How far the running transition has come now, from 0 to 1; 1 without one.
    public var transitionProgress: Double {
        runningTransition?.progress(at: currentClock.now) ?? 1
    }

    /// Ends the running transition if its time is over. A toolkit calls this before each frame.
    public func advanceTransition() {
        if runningTransition != nil, transitionProgress >= 1 { endTransition(finished: true) }
    }

    /// Goes to the end of the running transition. A toolkit calls this when the view leaves the screen.
    public func finishTransition() {
        cutTransitionShort()
    }

    private var currentClock: any AnimationClock {
        clock ?? renderer?.clock ?? fallbackClock
    }

    private func cutTransitionShort() {
        if runningTransition != nil { endTransition(finished: false) }
    }

    private func endTransition(finished: Bool) {
        let completion = transitionCompletion
        runningTransition = nil
        transitionCompletion = nil
        renderer?.viewDidChange(.content)
        completion?(finished)
    }
}

/// The name that code shared with Apple's systems uses for `ImageView`.
public typealias KFCrossPlatformImageView = ImageView

extension ImageView: KingfisherCompatible {}
