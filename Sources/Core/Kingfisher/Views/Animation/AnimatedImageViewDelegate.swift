/// Is notified of the playback of an animated image view, on the main actor.
@MainActor public protocol AnimatedImageViewDelegate: AnyObject {
    /// The animation has reached its end for the `count`th time.
    func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt)
    /// The animation has been played as often as the view's `repeatCount` allows; its last frame stays
    /// visible.
    func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView)
}

extension AnimatedImageViewDelegate {
    public func animatedImageView(_ imageView: AnimatedImageView, didPlayAnimationLoops count: UInt) {}

    public func animatedImageViewDidFinishAnimating(_ imageView: AnimatedImageView) {}
}
