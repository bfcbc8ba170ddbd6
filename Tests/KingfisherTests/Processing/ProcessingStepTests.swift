import Foundation
import Kingfisher
import KingfisherSteps
import KingfisherTestSupport
import Testing

@Suite struct ProcessingStepTests {
    @Test("The example of every kind makes an image", arguments: ProcessingStep.Kind.allCases)
    func example(kind: ProcessingStep.Kind) throws {
        let mark = WatermarkImageProcessor.Mark(
            try Image.decode(Fixtures.data(named: "Photos/badge.png")), name: "badge")
        let steps = [try ProcessingStep(kind.example)]
        let processor = steps.processor(
            watermarks: Dictionary(uniqueKeysWithValues: steps.watermarkNames.map { ($0, mark) }))
        let image = processor?.process(
            item: .data(try Fixtures.data(named: "Photos/chelsea-eyes.jpg")),
            options: KingfisherParsedOptionsInfo(nil))
        #expect(image?.pixels != nil)
    }

    @Test("A step makes the library's processor with all parameters of its text")
    func processors() throws {
        let border = Border(
            color: .white, lineWidth: 3, radius: .heightFraction(0.5), roundingCorners: .topRight)
        let processors: [String: any ImageProcessor] = [
            "resize:8x6": ResizingImageProcessor(referenceSize: CGSize(width: 8, height: 6)),
            "resize:8x6,fill": ResizingImageProcessor(
                referenceSize: CGSize(width: 8, height: 6), mode: .aspectFill),
            "downsample:8x6": DownsamplingImageProcessor(size: CGSize(width: 8, height: 6)),
            "crop:8x6,0,1": CroppingImageProcessor(
                size: CGSize(width: 8, height: 6), anchor: CGPoint(x: 0, y: 1)),
            "round:20%w,tl+bl,#f00": RoundCornerImageProcessor(
                radius: .widthFraction(0.2), roundingCorners: [.topLeft, .bottomLeft], backgroundColor: .red),
            "border:3,#fff,50%h,tr": BorderImageProcessor(border: border),
            "overlay:#0000ff,0.25": OverlayImageProcessor(overlay: .blue, fraction: 0.25),
            "tint:#0000ff80": TintImageProcessor(tint: .blue.withAlphaComponent(128 / 255)),
            "color:-0.25,0.5,2,1.5": ColorControlsProcessor(
                brightness: -0.25, contrast: 0.5, saturation: 2, inputEV: 1.5),
            "bw": BlackWhiteProcessor(),
            "blend:softLight,0.5,#00f": BlendImageProcessor(
                blendMode: .softLight, alpha: 0.5, backgroundColor: .blue),
            "blur:4": BlurImageProcessor(blurRadius: 4),
            "sharpen:2,0.5": SharpenImageProcessor(radius: 2, amount: 0.5),
            "rotate:270": RotationImageProcessor(quarterTurns: 3),
            "flip:vertical": FlippingImageProcessor(.vertical),
            "pad:8x6,0,1,#f00": PaddingImageProcessor(
                size: CGSize(width: 8, height: 6), anchor: CGPoint(x: 0, y: 1), color: .red),
            "trim:0.5": TrimmingImageProcessor(tolerance: 0.5),
            "focus:8x6,0.25,1": FocalCroppingImageProcessor(
                size: CGSize(width: 8, height: 6), focus: CGPoint(x: 0.25, y: 1)),
        ]
        for (text, processor) in processors {
            #expect(try ProcessingStep(text).processor.identifier == processor.identifier)
        }
        let chain = try [ProcessingStep("blur:4"), ProcessingStep("overlay:#0000ff,0.25")].processor
        let blur = BlurImageProcessor(blurRadius: 4)
        #expect(
            chain?.identifier
                == (blur |> OverlayImageProcessor(overlay: .blue, fraction: 0.25)).identifier)
        #expect([ProcessingStep]().processor == nil)
    }

    @Test("A watermark step draws the image of its name, and fails without one")
    func watermarks() throws {
        let steps = try ["rotate:90", "watermark:logo,topLeft,0.5"].map { try ProcessingStep($0) }
        #expect(steps.watermarkNames == ["logo"])
        let mark = KFCrossPlatformImage()
        let processor = steps.processor(watermarks: [
            "logo": .init(mark, name: "logo 1"), "other": .init(mark, name: ""),
        ])
        #expect(
            processor?.identifier
                == (RotationImageProcessor(quarterTurns: 1)
                |> WatermarkImageProcessor(mark, name: "logo 1", anchor: .zero, opacity: 0.5)).identifier)
        let options = KingfisherParsedOptionsInfo(nil)
        let image = try Image.decode(Fixtures.data(named: "Photos/coffee.jpg"))
        #expect(steps[1].processor.process(item: .image(image), options: options) == nil)
        #expect(steps.processor?.process(item: .image(image), options: options) == nil)
    }

    @Test("The grammar has exactly the blend modes of the processor")
    func blendModes() throws {
        #expect(
            ProcessingStep.BlendMode.allCases.map(\.rawValue) == BlendMode.allCases.map { "\($0)" })
        for mode in BlendMode.allCases {
            #expect(
                try ProcessingStep("blend:\(mode)").processor.identifier
                    == BlendImageProcessor(blendMode: mode, alpha: 1, backgroundColor: nil).identifier)
        }
    }
}
