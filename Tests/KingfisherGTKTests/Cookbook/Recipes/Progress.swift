import KingfisherGTK

@MainActor func photoWithProgress(_ url: URL) -> View {
    let view = ImageView()
    let progress = gtk_progress_bar_new()!
    gtk_widget_set_valign(progress, GTK_ALIGN_CENTER)
    gtk_widget_set_margin_start(progress, 48)
    gtk_widget_set_margin_end(progress, 48)
    let bar = WidgetView(wrapping: progress)
    view.addSubview(bar)
    view.contentMode = .scaleAspectFit
    view.kf.setImage(
        with: url,
        progressBlock: { received, total in
            gtk_progress_bar_set_fraction(OpaquePointer(progress), Double(received) / Double(total))
        },
        completionHandler: { _ in bar.removeFromSuperview() })
    return view
}
