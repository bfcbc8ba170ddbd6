/// Fills an image view with a view that the application has made for a load or its failure.
///
/// The image view keeps the host while its content changes.
final class PlaceholderHost: View, Placeholder {
    /// Shows `content` in place of the previous one; the same view stays as it is.
    func show(_ content: View) {
        addSubview(content)
        for other in subviews where other !== content { other.removeFromSuperview() }
    }

    func clear() {
        for content in subviews { content.removeFromSuperview() }
    }
}
