import KingfisherGTK

struct TransitionSample {
    /// In seconds; long enough to watch.
    static let duration: TimeInterval = 1

    let title: String
    let code: String
    let transition: ImageTransition
    /// The state of the view at the start of a custom transition.
    var start: (alpha: CGFloat, transform: CGAffineTransform) = (1, .identity)

    /// A custom transition from `alpha` and `transform` to the default state of a view.
    private static func custom(
        _ title: String, options: AnimationOptions, alpha: CGFloat, transform: CGAffineTransform
    ) -> TransitionSample {
        let transition = ImageTransition.custom(
            duration: duration, options: options,
            animations: { view, _ in
                view.alpha = 1
                view.transform = .identity
            }, completion: nil)
        return TransitionSample(
            title: title, code: ".custom(…)", transition: transition, start: (alpha, transform))
    }

    static let all = [
        TransitionSample(title: "None", code: ".none", transition: .none),
        TransitionSample(title: "Fade", code: ".fade(1)", transition: .fade(duration)),
        TransitionSample(
            title: "Flip From Left", code: ".flipFromLeft(1)", transition: .flipFromLeft(duration)),
        TransitionSample(
            title: "Flip From Right", code: ".flipFromRight(1)", transition: .flipFromRight(duration)),
        TransitionSample(title: "Flip From Top", code: ".flipFromTop(1)", transition: .flipFromTop(duration)),
        TransitionSample(
            title: "Flip From Bottom", code: ".flipFromBottom(1)", transition: .flipFromBottom(duration)),
        custom(
            "Zoom and Rotate", options: .curveEaseOut, alpha: 0.2,
            transform: CGAffineTransform(scaleX: 0.3, y: 0.3).rotated(by: -0.6)),
        custom(
            "Slide In", options: .curveEaseInOut, alpha: 0.6,
            transform: CGAffineTransform(translationX: 140, y: 0)),
    ]
}
