import KingfisherSteps
import Testing

@Suite("Processing steps")
struct ProcessingStepTests {
    @Test(
        "Every form of a step is parsed",
        arguments: [
            ("resize:800x600", ProcessingStep.resize(.init(width: 800, height: 600), .stretch)),
            ("resize:800x600,fit", .resize(.init(width: 800, height: 600), .fit)),
            ("resize:1x32768,fill", .resize(.init(width: 1, height: 32_768), .fill)),
            ("downsample:300x200.5", .downsample(.init(width: 300, height: 200.5))),
            ("crop:20x10", .crop(.init(width: 20, height: 10), .init(x: 0.5, y: 0.5))),
            ("crop:20x10,0,1", .crop(.init(width: 20, height: 10), .init(x: 0, y: 1))),
            ("round:20", .round(.pixels(20), all, background: nil)),
            ("round:.5", .round(.pixels(0.5), all, background: nil)),
            ("round:50%w", .round(.percentOfWidth(50), all, background: nil)),
            ("round:12.5%h,br", .round(.percentOfHeight(12.5), [.bottomRight], background: nil)),
            ("round:1,tl+br", .round(.pixels(1), [.topLeft, .bottomRight], background: nil)),
            ("round:1,#fff", .round(.pixels(1), all, background: .white)),
            ("round:1,tr+bl,#f000", .round(.pixels(1), [.topRight, .bottomLeft], background: clearRed)),
            ("border:4,#000", .border(width: 4, .black, radius: .pixels(0), all)),
            ("border:0.5,#FF0000FF,10", .border(width: 0.5, .brightRed, radius: .pixels(10), all)),
            ("border:3,#f00,50%w,tl", .border(width: 3, .brightRed, radius: .percentOfWidth(50), [.topLeft])),
            ("overlay:#ff0000", .overlay(.brightRed, fraction: 0.5)),
            ("overlay:#f00,0", .overlay(.brightRed, fraction: 0)),
            ("tint:#f00", .tint(.brightRed)),
            ("color:-0.5,2,0", .color(brightness: -0.5, contrast: 2, saturation: 0, exposure: 0)),
            ("color:1,1,1,-3.5", .color(brightness: 1, contrast: 1, saturation: 1, exposure: -3.5)),
            ("bw", .blackWhite),
            ("blend:multiply", .blend(.multiply, alpha: 1, background: nil)),
            ("blend:colorDodge,0.5", .blend(.colorDodge, alpha: 0.5, background: nil)),
            ("blend:xor,#fff", .blend(.xor, alpha: 1, background: .white)),
            ("blend:plusLighter,0,#f000", .blend(.plusLighter, alpha: 0, background: clearRed)),
            ("blur:3.5", .blur(radius: 3.5)),
            ("sharpen:1.5", .sharpen(radius: 1.5, amount: 1)),
            ("sharpen:0.3,10", .sharpen(radius: 0.3, amount: 10)),
            ("rotate:90", .rotate(quarterTurns: 1)),
            ("rotate:270", .rotate(quarterTurns: 3)),
            ("flip:horizontal", .flip(.horizontal)),
            ("flip:vertical", .flip(.vertical)),
            ("crop:20x10,bottomLeft", .crop(.init(width: 20, height: 10), .init(x: 0, y: 1))),
            ("crop:20x10,top", .crop(.init(width: 20, height: 10), .init(x: 0.5, y: 0))),
            ("pad:20x10", .pad(.init(width: 20, height: 10), .init(), background: nil)),
            ("pad:20x10,#fff", .pad(.init(width: 20, height: 10), .init(), background: .white)),
            ("pad:2x1,0,1,#fff", .pad(.init(width: 2, height: 1), .init(x: 0, y: 1), background: .white)),
            ("pad:2x1,right", .pad(.init(width: 2, height: 1), .init(x: 1, y: 0.5), background: nil)),
            ("trim", .trim(tolerance: 0.04)),
            ("trim:0", .trim(tolerance: 0)),
            ("focus:20x10,0,1", .focus(.init(width: 20, height: 10), .init(x: 0, y: 1))),
            ("watermark:a b.png", .watermark(name: "a b.png", .init(x: 1, y: 1), opacity: 1)),
            ("watermark:m,top,0.5", .watermark(name: "m", .init(y: 0), opacity: 0.5)),
            ("watermark:m,0,0.25", .watermark(name: "m", .init(x: 0, y: 0.25), opacity: 1)),
        ])
    func reads(text: String, step: ProcessingStep) throws {
        #expect(try ProcessingStep(text) == step)
    }

    private static let all = Set(ProcessingStep.Corner.allCases)
    private static let clearRed = ProcessingStep.Color(red: 255, green: 0, blue: 0, alpha: 0)

    @Test(
        "Text that is not a step is refused",
        arguments: [
            "", ":", "sharpens:3", "Resize:1x1", "resize", "resize:", "resize:100", "resize:x", "resize:100x",
            "resize:x100", "resize:1x2x3", "resize:1x1,stretch", "resize:1x1,fit,fill", "resize:1x1,",
            "downsample:10x10,fit", "crop:1x1,0", "crop:1x1,0,", "crop:1x1,0,0,0", "round", "round:",
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
            "watermark:m,top,2", "watermark:m,top,1,1",
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
        #expect(
            try ProcessingStep("resize:10000x10000")
                == .resize(.init(width: 10_000, height: 10_000), .stretch))
    }

    @Test("Every example is a step of its kind, and the usage starts with its name")
    func examples() throws {
        for kind in ProcessingStep.Kind.allCases {
            _ = try ProcessingStep(kind.example)
            #expect(kind.example.prefix { $0 != ":" } == kind.rawValue)
            #expect(kind.usage.prefix { !":[".contains($0) } == kind.rawValue)
            #expect(!kind.summary.isEmpty)
        }
    }

    @Test(
        "Colours are parsed as in CSS",
        arguments: [
            ("#000", [0, 0, 0, 255]), ("#fa5", [255, 170, 85, 255]), ("#Fa5C", [255, 170, 85, 204]),
            ("#102030", [16, 32, 48, 255]), ("#10203040", [16, 32, 48, 64]),
        ] as [(String, [UInt8])])
    func colors(text: String, bytes: [UInt8]) throws {
        let color = try #require(ProcessingStep.Color(text))
        #expect([color.red, color.green, color.blue, color.alpha] == bytes)
    }

    @Test("Every blend mode has its name and appears in the notes")
    func blendModes() throws {
        for mode in ProcessingStep.BlendMode.allCases {
            #expect(try ProcessingStep("blend:\(mode)") == .blend(mode, alpha: 1, background: nil))
            #expect(ProcessingStep.notes.contains("\(mode)"))
        }
    }

    @Test("An error names the accepted values")
    func errors() {
        #expect(
            ProcessingStepError.unknownStep("x").description.contains(
                "resize, downsample, crop, round, border, overlay, tint, color, bw, blend")
        )
        #expect(
            ProcessingStepError.outOfBounds("0", 0.1...32_768).description
                == "0 is out of range; expected 0.1 to 32768")
        #expect(ProcessingStepError.badValue("y", .round).description.contains("round:20"))
        #expect(ProcessingStepError.badValue("y", .border).description.contains("border:W,#COLOR"))
    }
}

extension ProcessingStep.Color {
    fileprivate static let white = Self(red: 255, green: 255, blue: 255)
    fileprivate static let black = Self(red: 0, green: 0, blue: 0)
    fileprivate static let brightRed = Self(red: 255, green: 0, blue: 0)
}
