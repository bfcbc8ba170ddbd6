import KingfisherGTK

/// A way of showing a progressive JPEG while it arrives.
struct ProgressiveSample {
    let title: String
    let code: String
    var isBlur = true
    var options: KingfisherOptionsInfo = []
    /// What the view is to show for the image so far.
    var strategy: @Sendable (Image) -> ImageProgressive.UpdatingStrategy = { _ in .default }

    static let all = [
        ProgressiveSample(title: "Blurred at first", code: ".progressiveJPEG(.default)"),
        ProgressiveSample(title: "As it comes", code: "isBlur: false", isBlur: false),
        ProgressiveSample(
            title: "Processed like the whole", code: ".processor(RoundCornerImageProcessor(…))",
            options: [.processor(RoundCornerImageProcessor(radius: .widthFraction(0.5)))]),
        ProgressiveSample(
            title: "Something else meanwhile", code: ".replace(image.kf.blurred(withRadius: 24))",
            isBlur: false, strategy: { .replace($0.kf.blurred(withRadius: 24)) }),
    ]
}
