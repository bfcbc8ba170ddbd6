/// How a class of widgets shows an image. Must be used only while the widget exists.
@MainActor protocol ImageSurface {
    func show(_ paintable: Paintable)

    /// Removes an image that `show` has set; an image that the program has set since stays.
    func clear()
}
