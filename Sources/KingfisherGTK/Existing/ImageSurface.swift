/// How a class of widgets shows an image. Only used while the widget is there.
@MainActor protocol ImageSurface {
    /// Shows `paintable` instead of what is there.
    func show(_ paintable: Paintable)

    /// Shows no image of ours; one that the program has put there meanwhile stays.
    func clear()
}
