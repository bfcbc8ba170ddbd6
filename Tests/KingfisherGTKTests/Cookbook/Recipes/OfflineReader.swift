import KingfisherGTK

/// Downloads the images of an article, so that it can be read later.
func download(_ urls: [URL], to cache: ImageCache) async -> Bool {
    await withCheckedContinuation { continuation in
        let options: KingfisherOptionsInfo = [.targetCache(cache), .diskCacheExpiration(.days(30))]
        let prefetcher = ImagePrefetcher(urls: urls, options: options) { _, failed, _ in
            continuation.resume(returning: failed.isEmpty)
        }
        prefetcher.start()
    }
}

/// Shows an image without the network.
@MainActor func offlinePage(_ text: String, image url: URL, in cache: ImageCache) -> View {
    let view = ImageView()
    view.contentMode = .scaleAspectFill
    gtk_widget_set_size_request(view.widget, 320, 180)
    view.kf.setImage(with: url, options: [.targetCache(cache), .onlyFromCache])
    let paragraph = Label(text)
    paragraph.numberOfLines = 0
    paragraph.textAlignment = .natural
    return column(view, paragraph)
}
