import KingfisherGTK

@MainActor func largePhoto(_ url: URL, thumbnail: Image?) -> View {
    let view = ImageView()
    view.contentMode = .scaleAspectFit
    view.alternativeText = url.lastPathComponent
    view.kf.setImage(with: url, placeholder: thumbnail, options: [.decodesToViewSize, .cacheMemoryOnly])
    return view
}
