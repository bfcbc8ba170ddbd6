/// Fills an image view with a view that the application has made for a load or its failure.
///
/// The image view keeps the host while its content changes.
final class PlaceholderHost: View, Placeholder {
    /// Named by its content, so that the content names the image view.
    override var accessibility: ViewAccessibility {
        ViewAccessibility(role: .group, label: alternativeText ?? subviews.first?.accessibility.label)
    }

    /// Shows `content` in place of the previous one; the same view stays as it is.
    func show(_ content: View) {
        addSubview(content)
        for other in subviews where other !== content { other.removeFromSuperview() }
        accessibilityDidChange()
    }

    func clear() {
        for content in subviews { content.removeFromSuperview() }
    }
}
