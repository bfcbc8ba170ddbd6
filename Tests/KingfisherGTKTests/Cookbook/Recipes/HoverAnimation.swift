import KingfisherGTK

@MainActor func sticker(_ url: URL) -> View {
    let view = AnimatedImageView()
    view.contentMode = .scaleAspectFit
    view.playsOnHover = true
    gtk_widget_set_focusable(view.widget, 1)  // Keyboard focus also plays it.
    view.kf.setImage(with: url)
    return view
}
