import Kingfisher

struct ProcessorSample: Sendable {
    let title: String
    let code: String
    let processor: any ImageProcessor
    var contentMode = ViewContentMode.scaleAspectFit

    /// Whether the result has transparent pixels, which JPEG does not support.
    var isTransparent = false

    /// The processor, and a serializer whose format supports the result.
    var options: KingfisherOptionsInfo {
        let serializer: any CacheSerializer =
            isTransparent ? FormatIndicatedCacheSerializer.png : DefaultCacheSerializer.default
        return [.processor(processor), .cacheSerializer(serializer)]
    }
}

extension ProcessorSample {
    private static let small = CGSize(width: 160, height: 120)

    static let all: [ProcessorSample] = [
        ProcessorSample(
            title: "Original", code: "DefaultImageProcessor.default",
            processor: DefaultImageProcessor.default),
        ProcessorSample(
            title: "Fitting", code: "FittingImageProcessor(size: 160×120)",
            processor: FittingImageProcessor(size: small), contentMode: .center),
        ProcessorSample(
            title: "Covering", code: "CoveringImageProcessor(size: 160×120, focus: (0.5, 0))",
            processor: CoveringImageProcessor(size: small, focus: CGPoint(x: 0.5, y: 0)),
            contentMode: .center),
        ProcessorSample(
            title: "Downsampling", code: "DownsamplingImageProcessor(size: 160×120)",
            processor: DownsamplingImageProcessor(size: small), contentMode: .center),
        ProcessorSample(
            title: "Resizing, Aspect Fit",
            code: "ResizingImageProcessor(referenceSize: 160×120, mode: .aspectFit)",
            processor: ResizingImageProcessor(referenceSize: small, mode: .aspectFit), contentMode: .center),
        ProcessorSample(
            title: "Resizing, Stretched", code: "ResizingImageProcessor(referenceSize: 160×120)",
            processor: ResizingImageProcessor(referenceSize: small), contentMode: .center),
        ProcessorSample(
            title: "Cropping, Centred", code: "CroppingImageProcessor(size: 160×120)",
            processor: CroppingImageProcessor(size: small), contentMode: .center),
        ProcessorSample(
            title: "Extracting", code: "ExtractingImageProcessor(rect: (200, 100), 160×120)",
            processor: ExtractingImageProcessor(rect: CGRect(origin: CGPoint(x: 200, y: 100), size: small)),
            contentMode: .center),
        ProcessorSample(
            title: "Margin", code: "MarginImageProcessor(top: 12, right: 12, bottom: 48, left: 12, …)",
            processor: FittingImageProcessor(size: small)
                |> MarginImageProcessor(top: 12, right: 12, bottom: 48, left: 12, color: .white),
            contentMode: .center),
        ProcessorSample(
            title: "Round Corners", code: "RoundCornerImageProcessor(cornerRadius: 48)",
            processor: RoundCornerImageProcessor(cornerRadius: 48), isTransparent: true),
        ProcessorSample(
            title: "Two Round Corners",
            code: "RoundCornerImageProcessor(…, roundingCorners: [.topLeft, .bottomRight])",
            processor: RoundCornerImageProcessor(
                cornerRadius: 90, roundingCorners: [.topLeft, .bottomRight]),
            isTransparent: true),
        ProcessorSample(
            title: "Border and Round Corners",
            code: "RoundCornerImageProcessor(…) |> BorderImageProcessor(border: Border(…))",
            processor: RoundCornerImageProcessor(cornerRadius: 48)
                |> BorderImageProcessor(
                    border: Border(color: .white.withAlphaComponent(0.7), lineWidth: 12, radius: .point(48))),
            isTransparent: true),
        ProcessorSample(
            title: "Overlay", code: "OverlayImageProcessor(overlay: .blue, fraction: 0.7)",
            processor: OverlayImageProcessor(overlay: .blue, fraction: 0.7)),
        ProcessorSample(
            title: "Tint", code: "TintImageProcessor(tint: .orange.withAlphaComponent(0.4))",
            processor: TintImageProcessor(tint: .orange.withAlphaComponent(0.4))),
        ProcessorSample(
            title: "Colour Controls", code: "ColorControlsProcessor(brightness: 0, contrast: 1.1, …)",
            processor: ColorControlsProcessor(brightness: 0, contrast: 1.1, saturation: 1.5, inputEV: 0.3)),
        ProcessorSample(
            title: "Black and White", code: "BlackWhiteProcessor()", processor: BlackWhiteProcessor()),
        ProcessorSample(
            title: "Blend", code: "BlendImageProcessor(blendMode: .multiply, backgroundColor: .orange)",
            processor: BlendImageProcessor(blendMode: .multiply, backgroundColor: .orange)),
        ProcessorSample(
            title: "Blur", code: "BlurImageProcessor(blurRadius: 6)",
            processor: BlurImageProcessor(blurRadius: 6)),
        ProcessorSample(
            title: "Pixelating", code: "PixelatingImageProcessor(blockSize: 24)",
            processor: PixelatingImageProcessor(blockSize: 24)),
        ProcessorSample(
            title: "Cover and Round",
            code: "CoveringImageProcessor(…) |> RoundCornerImageProcessor(…)",
            processor: CoveringImageProcessor(size: CGSize(width: 130, height: 130))
                |> RoundCornerImageProcessor(radius: .widthFraction(0.5)),
            contentMode: .center, isTransparent: true),
    ]
}
