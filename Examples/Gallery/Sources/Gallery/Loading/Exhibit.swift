import Kingfisher

/// One picture of the gallery, and what is made of it.
struct Exhibit: Sendable {
    /// The name of its file.
    let file: String
    /// What the processor does, in a few words.
    let caption: String
    let processor: any ImageProcessor

    /// The processor, and a file format that keeps the transparency which some processors make.
    var options: KingfisherOptionsInfo {
        [.processor(processor), .cacheSerializer(FormatIndicatedCacheSerializer.png)]
    }
}

extension Exhibit {
    /// About what a cell of the window has room for, in points.
    private static let room = CGSize(width: 220, height: 180)

    private static let small = DownsamplingImageProcessor(size: room)
    private static let cover = ResizingImageProcessor(referenceSize: room, mode: .aspectFill)
    private static let middle = CroppingImageProcessor(size: room)

    static let all: [Exhibit] = [
        Exhibit(file: "chelsea.jpg", caption: "as it is", processor: DefaultImageProcessor.default),
        Exhibit(
            file: "coffee.jpg", caption: "resize to fit",
            processor: ResizingImageProcessor(referenceSize: room, mode: .aspectFit)),
        Exhibit(file: "rocket.jpg", caption: "resize to fill", processor: cover),
        Exhibit(file: "hubble.jpg", caption: "downsample", processor: small),
        Exhibit(file: "launch-pad.jpg", caption: "crop the middle", processor: middle),
        Exhibit(
            file: "astronaut.jpg", caption: "crop the top left",
            processor: CroppingImageProcessor(size: CGSize(width: 330, height: 270), anchor: .zero)),
        Exhibit(
            file: "retina.jpg", caption: "round to a circle",
            processor: RoundCornerImageProcessor(radius: .widthFraction(0.5))),
        Exhibit(file: "badge.png", caption: "downsample a PNG", processor: small),
        Exhibit(file: "brick.jpg", caption: "blur 8", processor: BlurImageProcessor(blurRadius: 8)),
        Exhibit(
            file: "chelsea-eyes.jpg", caption: "fill |> crop |> round 28",
            processor: cover |> middle |> RoundCornerImageProcessor(cornerRadius: 28)),
        Exhibit(
            file: "camera.jpg", caption: "fill |> crop |> blur 3",
            processor: cover |> middle |> BlurImageProcessor(blurRadius: 3)),
        Exhibit(
            file: "astronaut-portrait.jpg", caption: "downsample |> round 24",
            processor: small |> RoundCornerImageProcessor(cornerRadius: 24)),
    ]
}
