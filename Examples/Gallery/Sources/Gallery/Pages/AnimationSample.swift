import KingfisherGTK

/// A way to show an animated image.
@MainActor struct AnimationSample {
    let title: String
    let code: String
    var photo = Photo.waving
    let makeView: @MainActor () -> ImageView
    var options: KingfisherOptionsInfo = []
    /// How the frames lie on their card.
    var contentMode = ViewContentMode.scaleAspectFill

    private static let avatar =
        CroppingImageProcessor(size: CGSize(width: 120, height: 120))
        |> RoundCornerImageProcessor(radius: .widthFraction(0.5))

    static let all = [
        AnimationSample(title: "GIF", code: "AnimatedImageView()") { AnimatedImageView() },
        AnimationSample(title: "APNG", code: "AnimatedImageView()", photo: .wavingPNG) {
            AnimatedImageView()
        },
        AnimationSample(title: "WebP", code: "AnimatedImageView()", photo: .wavingWebP) {
            AnimatedImageView()
        },
        AnimationSample(
            title: "Every frame processed", code: ".processesAnimatedFrames", photo: .wavingWebP,
            makeView: { AnimatedImageView() },
            options: [.processor(avatar), .processesAnimatedFrames], contentMode: .scaleAspectFit),
        AnimationSample(title: "Three times", code: ".repeatCount = .finite(3)") {
            let view = AnimatedImageView()
            view.repeatCount = .finite(count: 3)
            return view
        },
        AnimationSample(title: "Once", code: ".repeatCount = .once") {
            let view = AnimatedImageView()
            view.repeatCount = .once
            return view
        },
        AnimationSample(title: "On demand", code: ".autoPlayAnimatedImage") {
            let view = AnimatedImageView()
            view.autoPlayAnimatedImage = false
            return view
        },
        AnimationSample(title: "Plain view", code: "ImageView()") { ImageView() },
        AnimationSample(
            title: "First frame", code: ".onlyLoadFirstFrame", makeView: { ImageView() },
            options: [.onlyLoadFirstFrame]),
    ]
}
