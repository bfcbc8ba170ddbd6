import Foundation
import Kingfisher
import KingfisherTestSupport
import TestHelpers
import Testing

/// The text of steps, and the processors that it makes.
@Suite("Processing steps")
struct ProcessingStepTests {
    @Test("Every form of a step makes the library's processor with all parameters of its text")
    func processors() throws {
        for (text, processor) in Self.sizes + Self.lines + Self.colours + Self.turns {
            #expect(try ProcessingStep(text).processor.identifier == processor.identifier, "\(text)")
        }
    }

    private static func size(_ width: Double, _ height: Double) -> CGSize {
        CGSize(width: width, height: height)
    }

    private static func point(_ x: Double, _ y: Double) -> CGPoint { CGPoint(x: x, y: y) }

    private static let clearRed = Color(red: 1, green: 0, blue: 0, alpha: 0)

    private static var sizes: [(String, any ImageProcessor)] {
        [
            ("resize:800x600", ResizingImageProcessor(referenceSize: size(800, 600))),
            ("resize:800x600,fit", ResizingImageProcessor(referenceSize: size(800, 600), mode: .aspectFit)),
            (
                "resize:1x32768,fill",
                ResizingImageProcessor(referenceSize: size(1, 32_768), mode: .aspectFill)
            ),
            ("downsample:300x200.5", DownsamplingImageProcessor(size: size(300, 200.5))),
            ("fit:300x200", FittingImageProcessor(size: size(300, 200))),
            ("fit:300x0,enlarge", FittingImageProcessor(size: size(300, 0), enlarges: true)),
            ("cover:300x200", CoveringImageProcessor(size: size(300, 200))),
            ("cover:0x2,top", CoveringImageProcessor(size: size(0, 2), focus: point(0.5, 0))),
            (
                "cover:3x2,0.25,1,ratio",
                CoveringImageProcessor(size: size(3, 2), focus: point(0.25, 1), smallImage: .cropToRatio)
            ),
            ("cover:3x2,enlarge", CoveringImageProcessor(size: size(3, 2), smallImage: .enlarge)),
            ("crop:20x10", CroppingImageProcessor(size: size(20, 10))),
            ("crop:20x10,0,1", CroppingImageProcessor(size: size(20, 10), anchor: point(0, 1))),
            ("crop:20x10,bottomLeft", CroppingImageProcessor(size: size(20, 10), anchor: point(0, 1))),
            ("crop:20x10,top", CroppingImageProcessor(size: size(20, 10), anchor: point(0.5, 0))),
            ("pad:20x10", PaddingImageProcessor(size: size(20, 10))),
            ("pad:20x10,#fff", PaddingImageProcessor(size: size(20, 10), color: .white)),
            (
                "pad:2x1,0,1,#f00",
                PaddingImageProcessor(size: size(2, 1), anchor: point(0, 1), color: .red)
            ),
            ("pad:2x1,right", PaddingImageProcessor(size: size(2, 1), anchor: point(1, 0.5))),
            (
                "cut:1,2,3x4",
                ExtractingImageProcessor(rect: CGRect(origin: point(1, 2), size: size(3, 4)))
            ),
            ("margin:1,2,3,4", MarginImageProcessor(top: 1, right: 2, bottom: 3, left: 4)),
            (
                "margin:0,0,3.5,0,#f00",
                MarginImageProcessor(top: 0, right: 0, bottom: 3.5, left: 0, color: .red)
            ),
            ("pixelate:12", PixelatingImageProcessor(blockSize: 12)),
            ("trim", TrimmingImageProcessor()), ("trim:0", TrimmingImageProcessor(tolerance: 0)),
            ("focus:20x10,0.25,1", FocalCroppingImageProcessor(size: size(20, 10), focus: point(0.25, 1))),
        ]
    }

    private static var lines: [(String, any ImageProcessor)] {
        func round(
            _ radius: Radius, _ corners: RectCorner = .all, _ color: Color? = nil
        ) -> any ImageProcessor {
            RoundCornerImageProcessor(radius: radius, roundingCorners: corners, backgroundColor: color)
        }
        func border(
            _ width: Double, _ color: Color, _ radius: Radius = .point(0), _ corners: RectCorner = .all
        ) -> any ImageProcessor {
            BorderImageProcessor(
                border: Border(color: color, lineWidth: width, radius: radius, roundingCorners: corners))
        }
        return [
            ("round:20", round(.point(20))), ("round:.5", round(.point(0.5))),
            ("round:50%w", round(.widthFraction(0.5))),
            ("round:12.5%h,br", round(.heightFraction(0.125), .bottomRight)),
            ("round:1,tl+br", round(.point(1), [.topLeft, .bottomRight])),
            ("round:1,#fff", round(.point(1), .all, .white)),
            ("round:1,tr+bl,#f000", round(.point(1), [.topRight, .bottomLeft], clearRed)),
            ("border:4,#000", border(4, .black)),
            ("border:0.5,#FF0000FF,10", border(0.5, .red, .point(10))),
            ("border:3,#f00,50%w,tl", border(3, .red, .widthFraction(0.5), .topLeft)),
        ]
    }

    private static var colours: [(String, any ImageProcessor)] {
        [
            ("overlay:#ff0000", OverlayImageProcessor(overlay: .red)),
            ("overlay:#f00,0", OverlayImageProcessor(overlay: .red, fraction: 0)),
            ("tint:#0000ff80", TintImageProcessor(tint: .blue.withAlphaComponent(128 / 255))),
            (
                "color:-0.5,2,0",
                ColorControlsProcessor(brightness: -0.5, contrast: 2, saturation: 0, inputEV: 0)
            ),
            (
                "color:1,1,1,-3.5",
                ColorControlsProcessor(brightness: 1, contrast: 1, saturation: 1, inputEV: -3.5)
            ),
            ("bw", BlackWhiteProcessor()),
            ("blend:multiply", BlendImageProcessor(blendMode: .multiply)),
            ("blend:colorDodge,0.5", BlendImageProcessor(blendMode: .colorDodge, alpha: 0.5)),
            ("blend:xor,#fff", BlendImageProcessor(blendMode: .xor, backgroundColor: .white)),
            (
                "blend:plusLighter,0,#f000",
                BlendImageProcessor(blendMode: .plusLighter, alpha: 0, backgroundColor: clearRed)
            ),
            ("text:YQ", TextImageProcessor("a")), ("text:YQ==", TextImageProcessor("a")),
            (
                "text:4piD,0.25,0,20,#ff000080",
                TextImageProcessor(
                    "\u{2603}", anchor: point(0.25, 0), size: .point(20),
                    color: .red.withAlphaComponent(128 / 255))
            ),
            (
                "text:YSZiPGM-,topLeft,5%w",
                TextImageProcessor("a&b<c>", anchor: point(0, 0), size: .widthFraction(0.05))
            ),
            ("text:YQ,#000", TextImageProcessor("a", color: .black)),
            ("blur:3.5", BlurImageProcessor(blurRadius: 3.5)),
            ("sharpen:1.5", SharpenImageProcessor(radius: 1.5)),
            ("sharpen:0.3,10", SharpenImageProcessor(radius: 0.3, amount: 10)),
        ]
    }

    private static var turns: [(String, any ImageProcessor)] {
        [
            ("rotate:90", RotationImageProcessor(quarterTurns: 1)),
            ("rotate:180", RotationImageProcessor(quarterTurns: 2)),
            ("rotate:270", RotationImageProcessor(quarterTurns: 3)),
            ("flip:horizontal", FlippingImageProcessor(.horizontal)),
            ("flip:vertical", FlippingImageProcessor(.vertical)),
        ]
    }

    @Test("Steps in sequence make a chain; none make no processor")
    func chain() throws {
        let chain = try [ProcessingStep("blur:4"), ProcessingStep("overlay:#0000ff,0.25")].processor
        let overlay = OverlayImageProcessor(overlay: .blue, fraction: 0.25)
        #expect(chain?.identifier == (BlurImageProcessor(blurRadius: 4) |> overlay).identifier)
        #expect([ProcessingStep]().processor == nil)
    }

    @Test("A step has the size of its text")
    func writtenSize() throws {
        #expect(try ProcessingStep("cover:300x0,top").size == CGSize(width: 300, height: 0))
        #expect(try ProcessingStep("cut:1,2,3x4").size == CGSize(width: 3, height: 4))
        #expect(try ProcessingStep("pixelate:12").size == nil)
    }

    @Test("Steps are equal if they make the same image")
    func equality() throws {
        #expect(try ProcessingStep("crop:20x10,top") == ProcessingStep("crop:20.0x10,0.5,0"))
        #expect(try Set(["blur:1", "blur:2", "blur:1.0"].map { try ProcessingStep($0) }).count == 2)
    }

    @Test(
        "Text that is not a step is refused",
        arguments: [
            "", ":", "sharpens:3", "Resize:1x1", "resize", "resize:", "resize:100", "resize:x", "resize:100x",
            "resize:x100", "resize:1x2x3", "resize:1x1,stretch", "resize:1x1,fit,fill", "resize:1x1,",
            "downsample:10x10,fit", "downsample:10x0", "resize:0x1", "fit", "fit:0x0", "fit:x1", "fit:00x00",
            "fit:1x1,ratio", "fit:1x1,enlarge,enlarge", "fit:-0x1", "cover:0x0", "cover:1x1,middle",
            "cover:1x1,0.5", "cover:1x1,enlarge,top", "cover:1x1,top,ratio,ratio", "cover:1x1,2,0", "cut:1x1",
            "cut:1,1x1", "cut:1,2,0x1", "cut:-1,2,1x1", "cut:1,2,1x1,1", "margin", "margin:1", "margin:1,2,3",
            "margin:1,2,3,4,5", "margin:1,2,3,-4", "margin:1,2,3,#fff", "pixelate", "pixelate:0",
            "pixelate:1,2", "crop:1x1,0", "crop:1x1,0,", "crop:1x1,0,0,0", "round", "round:",
            "round:1,2", "round:1,", "round:1,,#fff", "round:1,#fff,tl", "round:1,tl+", "round:1,tl+tl",
            "round:1,TL", "round:1,all", "round:1,#ff", "round:1,#fffff", "round:1,#ggg", "round:1,fff",
            "round:1,#fff,#fff", "round:1,#+ff", "round:1,#٣٣٣", "round:1%", "round:1%d", "round:%w",
            "round:101%w", "round:1%w%h", "round:-1%w",
            "border", "border:", "border:4", "border:4,", "border:#fff", "border:#fff,4", "border:4,#fff,",
            "border:4,#fff,tl", "border:4,#fff,1,xx", "border:4,#fff,1,tl,tr", "border:0,#fff",
            "border:4,#fff,-1",
            "overlay", "overlay:", "overlay:0.5", "overlay:#fff,1.1", "overlay:#fff,-0.1", "overlay:#fff,",
            "overlay:#fff,nan", "overlay:#fff,0.5,0.5",
            "tint", "tint:", "tint:red", "tint:#f00,1", "color", "color:0,1", "color:0,1,1,0,0",
            "color:0,-1,1",
            "color:0,1,-1", "color:--1,1,1", "color:-,1,1", "color:1.1,1,1", "color:0,1,1,11", "color:0,1,1,",
            "bw:", "bw:1", "bw,1", "blend", "blend:", "blend:Multiply", "blend:dissolve", "blend:multiply,",
            "blend:multiply,2", "blend:multiply,#fff,1", "blend:multiply,-0.5", "blend:multiply,1,#fff,1",
            "blend:16",
            "blur:1 ", "blur:", "sharpen", "sharpen:11", "sharpen:0.2", "sharpen:1,11", "sharpen:1,1,1",
            "rotate", "rotate:0", "rotate:45", "rotate:90,90", "rotate:-90", "flip",
            "flip:both", "crop:1x1,middle", "crop:1x1,top,0", "pad", "pad:1x1,#fff,0,0", "pad:1x1,0",
            "trim:", "trim:2", "trim:-1", "trim:0.1,1", "focus:1x1", "focus:1x1,0", "focus:1x1,top",
            "focus:1x1,2,0", "watermark", "watermark:", "watermark:,top", "watermark:m,2", "watermark:m,0",
            "watermark:m,top,2", "watermark:m,top,1,1", "text", "text:", "text:a", "text:,top", "text:YQ,",
            "text:YQ===x", "text:Y+", "text:YR", "text:YQ,20", "text:YQ,top,0", "text:YQ,top,1%",
            "text:YQ,top,1,1",
            "text:YQ,#fff,top", "text:YQ,red", "text:YQ,top,40000", "text:YQ,top,101%h", "text:YQ,2,2",
        ])
    func refuses(text: String) {
        #expect(throws: ProcessingStepError.self) { try ProcessingStep(text) }
    }

    @Test(
        "Numbers must be plain, positive and within bounds",
        arguments: [
            "nan", "inf", "-1", "+1", "0", "0.0", "-0", "1e3", "0x10", "1e999", "99999999999999999999",
            "1.2.3", ".",
            "٣", " 5", "1_000",
        ])
    func refusesNumber(number: String) {
        for text in [
            "round:\(number)", "border:\(number),#fff", "blur:\(number)", "resize:\(number)x10",
            "downsample:10x\(number)",
            "crop:10x\(number),0,0",
        ] {
            #expect(throws: ProcessingStepError.self) { try ProcessingStep(text) }
        }
    }

    @Test("An anchor must be within the image", arguments: ["-0.1,0", "0,1.01", "nan,0", "2,2"])
    func refusesAnchor(anchor: String) {
        #expect(throws: ProcessingStepError.self) { try ProcessingStep("crop:10x10,\(anchor)") }
    }

    @Test("A result of more than 100 megapixels is refused, one of exactly 100 is accepted")
    func area() throws {
        #expect(throws: ProcessingStepError.tooManyPixels("10001x10000")) {
            try ProcessingStep("resize:10001x10000")
        }
        #expect(throws: Never.self) { try ProcessingStep("resize:10000x10000") }
    }

    @Test("The example of every step has its name, and makes an image", arguments: names)
    func example(name: String) throws {
        let definition = try #require(StepGrammar.standard.definitions.first { $0.name == name })
        #expect(definition.example.prefix { $0 != ":" } == name)
        #expect(!definition.summary.isEmpty)
        let mark = WatermarkImageProcessor.Mark(
            try Image.decode(Fixtures.data(named: "Photos/badge.png")), name: "badge")
        let steps = [try ProcessingStep(definition.example)]
        let processor = steps.processor(
            watermarks: Dictionary(uniqueKeysWithValues: steps.watermarkNames.map { ($0, mark) }))
        let photo = try Fixtures.data(named: "Photos/chelsea-eyes.jpg")
        let image = StubSVG.context.run {
            processor?.process(item: .data(photo), options: KingfisherParsedOptionsInfo(nil))
        }
        #expect(image?.pixels != nil)
    }

    private static let names = StepGrammar.standard.definitions.map(\.name)

    @Test("A program's grammar has its own steps, and may replace one")
    func ownSteps() throws {
        let fade = StepDefinition("fade:F", example: "fade:0.5", summary: "Fades to white.") {
            OverlayImageProcessor(overlay: .white, fraction: 1 - (try $0.number(in: 0...1)))
        }
        let blur = StepDefinition("blur", example: "blur", summary: "Blurs a little.") { _ in
            BlurImageProcessor(blurRadius: 2)
        }
        let grammar = StepGrammar.standard.adding(fade).adding(blur)
        let identifier = OverlayImageProcessor(overlay: .white, fraction: 0.75).identifier
        #expect(try ProcessingStep("fade:0.25", grammar: grammar).processor.identifier == identifier)
        #expect(throws: ProcessingStepError.self) { try ProcessingStep("fade:0.25") }
        #expect(throws: ProcessingStepError.outOfBounds("2", 0...1)) {
            try ProcessingStep("fade:2", grammar: grammar)
        }
        #expect(throws: ProcessingStepError.badValue("3", expected: "blur without arguments")) {
            try ProcessingStep("blur:3", grammar: grammar)
        }
        #expect(grammar.definitions.count == Self.names.count + 1)
        let odd = StepDefinition("odd", example: "odd", summary: "") { _ in throw CancellationError() }
        #expect(throws: ProcessingStepError.refused("CancellationError()")) {
            try ProcessingStep("odd", grammar: StepGrammar([odd]))
        }
        #expect(try ProcessingStep("tint:#fff", grammar: grammar) == ProcessingStep("tint:#fff"))
    }

    @Test(
        "Colours are parsed as in CSS",
        arguments: [
            ("#000", [0, 0, 0, 255]), ("#fa5", [255, 170, 85, 255]), ("#Fa5C", [255, 170, 85, 204]),
            ("#102030", [16, 32, 48, 255]), ("#10203040", [16, 32, 48, 64]),
        ] as [(String, [Double])])
    func colors(text: String, bytes: [Double]) throws {
        let parts = bytes.map { $0 / 255 }
        let color = Color(red: parts[0], green: parts[1], blue: parts[2], alpha: parts[3])
        let tint = TintImageProcessor(tint: color)
        #expect(try ProcessingStep("tint:\(text)").processor.identifier == tint.identifier)
    }

    @Test("Every blend mode has its name and appears in the notes")
    func blendModes() throws {
        for mode in BlendMode.allCases {
            let processor = BlendImageProcessor(blendMode: mode)
            #expect(try ProcessingStep("blend:\(mode)").processor.identifier == processor.identifier)
            #expect(StepGrammar.notes.contains("\(mode)"))
        }
    }

    @Test("An error names the accepted values")
    func errors() {
        #expect(
            text(of: "x").hasPrefix(
                "unknown step 'x'; expected one of fit, cover, downsample, resize, crop, cut, focus, round, border"
            ))
        #expect(text(of: "blur:0") == "0 is out of range; expected 0.1 to 1000")
        #expect(
            text(of: "round:y")
                == "invalid argument 'y'; expected round:R[,CORNERS][,#COLOR], such as round:20,tl+br")
        #expect(
            text(of: "border:")
                == "missing arguments; expected border:W,#COLOR[,R[,CORNERS]], such as border:4,#fff,20")
        #expect(text(of: "bw:1") == "invalid argument '1'; expected bw without arguments")
        #expect(text(of: "crop:20000x20000") == "20000x20000 exceeds the limit of 100 megapixels")
    }

    private func text(of step: String) -> String {
        do throws(ProcessingStepError) {
            _ = try ProcessingStep(step)
            return ""
        } catch {
            return error.description
        }
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
}
