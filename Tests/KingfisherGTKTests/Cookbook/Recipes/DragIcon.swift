import KingfisherGTK

@MainActor func draggablePhoto(_ url: URL) -> View {
    let photo = ImageView()
    photo.contentMode = .scaleAspectFit
    let source = gtk_drag_source_new()!
    gtk_widget_add_controller(photo.widget, source)  // Takes the reference.
    photo.kf.setImage(with: url, options: originalFile) { [weak photo] result in
        guard let photo, let image = try? result.get().image else { return }
        // Small: GTK draws a drag icon with the size of its paintable.
        let icon = image.kf.resize(to: CGSize(width: 96, height: 96), for: .aspectFit).kf.gdkPaintable()
        gtk_drag_source_set_icon(source, icon, 48, 48)
        g_object_unref(UnsafeMutableRawPointer(icon))
        Task {
            let file = try await KingfisherManager.shared.retrieveData(with: url, options: originalFile)
            guard photo.image === image, let content = offer(image, file) else { return }
            gtk_drag_source_set_content(source, content)
            g_object_unref(UnsafeMutableRawPointer(content))
        }
    }
    return photo
}
