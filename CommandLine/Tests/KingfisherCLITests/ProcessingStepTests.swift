import Testing

@testable import KingfisherCLI

@Suite("Processing steps")
struct ProcessingStepTests {
    @Test(
        "Every form of a step is read",
        arguments: [
            ("resize:800x600", ProcessingStep.resize(.init(width: 800, height: 600), .stretch)),
            ("resize:800x600,fit", .resize(.init(width: 800, height: 600), .fit)),
            ("resize:1x32768,fill", .resize(.init(width: 1, height: 32_768), .fill)),
            ("downsample:300x200.5", .downsample(.init(width: 300, height: 200.5))),
            ("crop:20x10", .crop(.init(width: 20, height: 10), .init(x: 0.5, y: 0.5))),
            ("crop:20x10,0,1", .crop(.init(width: 20, height: 10), .init(x: 0, y: 1))),
            ("round:20", .round(radius: 20)),
            ("round:.5", .round(radius: 0.5)),
            ("blur:3.5", .blur(radius: 3.5)),
        ])
    func reads(text: String, step: ProcessingStep) throws {
        #expect(try ProcessingStep(text) == step)
    }

    @Test(
        "What is no step is refused",
        arguments: [
            "", ":", "sharpen:3", "Resize:1x1", "resize", "resize:", "resize:100", "resize:x", "resize:100x",
            "resize:x100", "resize:1x2x3", "resize:1x1,stretch", "resize:1x1,fit,fill", "resize:1x1,",
            "downsample:10x10,fit", "crop:1x1,0", "crop:1x1,0,", "crop:1x1,0,0,0", "round", "round:",
            "round:1,2",
            "blur:1 ", "blur:",
        ])
    func refuses(text: String) {
        #expect(throws: ProcessingStepError.self) { try ProcessingStep(text) }
    }

    @Test(
        "Numbers are plain, positive and in bounds",
        arguments: [
            "nan", "inf", "-1", "+1", "0", "0.0", "-0", "1e3", "0x10", "1e999", "99999999999999999999",
            "1.2.3", ".",
            "٣", " 5", "1_000",
        ])
    func refusesNumber(number: String) {
        for text in [
            "round:\(number)", "blur:\(number)", "resize:\(number)x10", "downsample:10x\(number)",
            "crop:10x\(number),0,0",
        ] {
            #expect(throws: ProcessingStepError.self) { try ProcessingStep(text) }
        }
    }

    @Test("An anchor lies within the picture", arguments: ["-0.1,0", "0,1.01", "nan,0", "2,2"])
    func refusesAnchor(anchor: String) {
        #expect(throws: ProcessingStepError.self) { try ProcessingStep("crop:10x10,\(anchor)") }
    }

    @Test("A result of more than 100 megapixels is refused, one of exactly that is not")
    func area() throws {
        #expect(throws: ProcessingStepError.tooManyPixels("10001x10000")) {
            try ProcessingStep("resize:10001x10000")
        }
        #expect(
            try ProcessingStep("resize:10000x10000")
                == .resize(.init(width: 10_000, height: 10_000), .stretch))
    }

    @Test("Every example of the listing is a step, and the listing names every step")
    func listing() throws {
        for kind in ProcessingStep.Kind.allCases {
            _ = try ProcessingStep(kind.example)
            #expect(kind.usage.hasPrefix("\(kind.rawValue):"))
            #expect(ProcessorsCommand.listing.contains(kind.usage))
            #expect(ProcessorsCommand.listing.contains("-p \(kind.example)"))
        }
    }

    @Test("An error says what would be right")
    func errors() {
        #expect(
            ProcessingStepError.unknownStep("x").description.contains("resize, downsample, crop, round, blur")
        )
        #expect(
            ProcessingStepError.outOfBounds("0", 0.1...32_768).description == "0 is not within 0.1 and 32768")
        #expect(ProcessingStepError.badValue("y", .round).description.contains("round:20"))
    }
}
