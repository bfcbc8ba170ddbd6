import KingfisherGTK

@MainActor func cover(_ url: URL?, light: Image, dark: Image) -> View {
    let view = ImageView()
    view.contentMode = .center
    let none = light.withVariants(dark: dark)
    view.kf.setImage(with: url, placeholder: none, options: [.onFailureImage(none)])
    return view
}
