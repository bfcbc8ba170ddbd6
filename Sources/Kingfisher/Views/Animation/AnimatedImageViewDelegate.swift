/// Hears what an animated image view plays; on the main actor.
@MainActor public protocol AnimatedImageViewDelegate: AnyObject {
    /// The animation has been played to its end for the `count`th time.
    func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt)
    /// The animation has been played as often as the view's `repeatCount` says; its last frame stays.
    func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView)
}

extension AnimatedImageViewDelegate {
    public func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt) {}

    public func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) {}
}
