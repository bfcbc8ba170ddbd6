import KingfisherGTK

@MainActor func photo(_ url: URL, mirrors: [URL], small: URL) -> View {
    let view = ImageView()
    view.contentMode = .scaleAspectFit
    view.kf.setImage(
        with: url,
        options: [
            .alternativeSources(mirrors.map { .network($0) }),  // After a failure, in this order.
            .lowDataMode(.network(small)),  // On a metered connection.
        ])
    return view
}
