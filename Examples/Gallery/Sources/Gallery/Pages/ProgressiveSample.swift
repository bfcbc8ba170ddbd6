import KingfisherGTK

struct ProgressiveSample {
    let title: String
    let code: String
    var isBlur = true
    var options: KingfisherOptionsInfo = []
    /// Chooses what the view shows for a preview.
    var strategy: @Sendable (Image) -> ImageProgressive.UpdatingStrategy = { _ in .default }

    static let all = [
        ProgressiveSample(title: "Blurred Previews", code: ".progressiveJPEG(.default)"),
        ProgressiveSample(title: "Sharp Previews", code: "isBlur: false", isBlur: false),
        ProgressiveSample(
            title: "Processed Previews", code: ".processor(RoundCornerImageProcessor(…))",
            options: [.processor(RoundCornerImageProcessor(radius: .widthFraction(0.5)))]),
        ProgressiveSample(
            title: "Replaced Previews", code: ".replace(image.kf.blurred(withRadius: 24))",
            isBlur: false, strategy: { .replace($0.kf.blurred(withRadius: 24)) }),
    ]
}
