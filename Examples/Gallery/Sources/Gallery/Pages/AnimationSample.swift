import KingfisherGTK

@MainActor struct AnimationSample {
    let title: String
    let code: String
    var photo = Photo.waving
    let makeView: @MainActor () -> ImageView
    var options: KingfisherOptionsInfo = []
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
            title: "Processed Frames", code: ".processesAnimatedFrames", photo: .wavingWebP,
            makeView: { AnimatedImageView() },
            options: [.processor(avatar), .processesAnimatedFrames], contentMode: .scaleAspectFit),
        AnimationSample(title: "Three Loops", code: ".repeatCount = .finite(3)") {
            let view = AnimatedImageView()
            view.repeatCount = .finite(count: 3)
            return view
        },
        AnimationSample(title: "One Loop", code: ".repeatCount = .once") {
            let view = AnimatedImageView()
            view.repeatCount = .once
            return view
        },
        AnimationSample(title: "Manual Start", code: ".autoPlayAnimatedImage") {
            let view = AnimatedImageView()
            view.autoPlayAnimatedImage = false
            return view
        },
        AnimationSample(title: "Image View", code: "ImageView()") { ImageView() },
        AnimationSample(
            title: "First Frame", code: ".onlyLoadFirstFrame", makeView: { ImageView() },
            options: [.onlyLoadFirstFrame]),
    ]
}
