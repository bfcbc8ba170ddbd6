import KingfisherGTK

/// The cache stores the file that was downloaded; by default, it encodes the image again.
var originalFile: KingfisherOptionsInfo {
    var serializer = DefaultCacheSerializer()
    serializer.preferCacheOriginalData = true
    return [.cacheSerializer(serializer)]
}

/// What other programs may take of an image: its original file, or the texture, which GDK writes as PNG.
@MainActor func offer(_ image: Image, _ file: RetrieveDataResult) -> UnsafeMutablePointer<GdkContentProvider>?
{
    guard let texture = image.kf.gdkTexture() else { return nil }
    defer { g_object_unref(UnsafeMutableRawPointer(texture)) }
    var value = GValue()
    g_value_init(&value, gdk_texture_get_type())
    g_value_set_object(&value, UnsafeMutableRawPointer(texture))
    defer { g_value_unset(&value) }
    let bytes = file.data.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
    defer { g_bytes_unref(bytes) }
    var parts = [gdk_content_provider_new_for_value(&value)]
    if let type = file.mediaType { parts.insert(gdk_content_provider_new_for_bytes(type, bytes), at: 0) }
    return gdk_content_provider_new_union(&parts, gsize(parts.count))  // Takes the parts.
}

@MainActor func photoToCopy(_ url: URL) -> View {
    let (photo, button) = (ImageView(), Button(title: "Copy"))
    photo.contentMode = .scaleAspectFit
    gtk_widget_set_vexpand(photo.widget, 1)
    photo.kf.setImage(with: url, options: originalFile)
    button.onClick = {
        Task {
            let file = try await KingfisherManager.shared.retrieveData(with: url, options: originalFile)
            guard let image = photo.image, let content = offer(image, file) else { return }
            gdk_clipboard_set_content(gtk_widget_get_clipboard(photo.widget), content)
            g_object_unref(UnsafeMutableRawPointer(content))
        }
    }
    return column(photo, button)
}
