import KingfisherGTK

@MainActor func photo(_ url: URL, blurHash: String) -> View {
    let view = ImageView()
    view.contentMode = .scaleAspectFill
    view.kf.setImage(with: url, placeholder: .blurHash(blurHash), options: [.transition(.fade(0.3))])
    return view
}
