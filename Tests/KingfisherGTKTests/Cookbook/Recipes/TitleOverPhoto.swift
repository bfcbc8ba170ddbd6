import KingfisherGTK

@MainActor func banner(_ title: String, photo url: URL) -> View {
    let view = ImageView()
    view.contentMode = .scaleAspectFill
    let processor =
        DownsamplingImageProcessor(size: CGSize(width: 640, height: 640))
        |> OverlayImageProcessor(overlay: .black, fraction: 0.6)
    view.kf.setImage(with: url, options: [.processor(processor), .cacheOriginalImage])
    let label = Label(title)
    label.textColor = .white
    label.fontSize = 28
    view.addSubview(label)
    return view
}
