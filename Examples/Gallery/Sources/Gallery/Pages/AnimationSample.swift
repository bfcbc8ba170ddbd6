import KingfisherGTK

/// A way to show an animated picture.
@MainActor struct AnimationSample {
    let title: String
    let code: String
    let makeView: @MainActor () -> ImageView
    var options: KingfisherOptionsInfo = []

    static let all = [
        AnimationSample(title: "For ever", code: "AnimatedImageView()") { AnimatedImageView() },
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
