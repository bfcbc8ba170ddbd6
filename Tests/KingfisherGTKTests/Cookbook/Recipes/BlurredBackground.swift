import KingfisherGTK

@MainActor func photoOnBlur(_ url: URL) -> View {
    let stage = View()
    let (backdrop, photo) = (ImageView(), ImageView())
    backdrop.contentMode = .scaleAspectFill
    backdrop.alternativeText = ""  // Decorative.
    photo.contentMode = .scaleAspectFit
    stage.addSubview(backdrop)
    stage.addSubview(photo)
    KF.url(url).downsampling(size: CGSize(width: 200, height: 200)).blur(radius: 12).set(to: backdrop)
    photo.kf.setImage(with: url, options: [.decodesToViewSize])
    return stage
}
