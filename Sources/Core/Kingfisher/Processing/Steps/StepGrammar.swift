/// The processing steps that a program accepts as text.
public struct StepGrammar: Sendable {
    /// The steps of `kingfisher get -p`.
    public static let standard = StepGrammar([
        FittingImageProcessor.step, CoveringImageProcessor.step, DownsamplingImageProcessor.step,
        ResizingImageProcessor.step, CroppingImageProcessor.step, ExtractingImageProcessor.step,
        FocalCroppingImageProcessor.step, RoundCornerImageProcessor.step, BorderImageProcessor.step,
        PaddingImageProcessor.step, MarginImageProcessor.step, TrimmingImageProcessor.step,
        RotationImageProcessor.step, FlippingImageProcessor.step, OverlayImageProcessor.step,
        TintImageProcessor.step, ColorControlsProcessor.step, BlackWhiteProcessor.step,
        BlendImageProcessor.step, BlurImageProcessor.step, SharpenImageProcessor.step,
        PixelatingImageProcessor.step, WatermarkImageProcessor.step, TextImageProcessor.step,
    ])

    /// All steps, in the order in which help lists them.
    public let definitions: [StepDefinition]
    private let byName: [String: StepDefinition]

    /// Creates a grammar; of definitions with the same name, the last one is used.
    public init(_ definitions: [StepDefinition]) {
        self.definitions = definitions
        byName = Dictionary(definitions.map { ($0.name, $0) }) { $1 }
    }

    /// A grammar that has also `definition`, in place of one with the same name.
    public func adding(_ definition: StepDefinition) -> StepGrammar {
        StepGrammar(definitions.filter { $0.name != definition.name } + [definition])
    }

    func definition(named name: some StringProtocol) throws(ProcessingStepError) -> StepDefinition {
        guard let definition = byName[String(name)] else {
            throw .unknownStep(String(name), known: definitions.map(\.name))
        }
        return definition
    }

    /// The placeholders in usages that the summaries do not explain.
    public static var notes: String {
        let modes = StepArguments.blendModes.map(\.name)
        let lines = stride(from: 0, to: modes.count, by: 6).map {
            modes[$0..<min($0 + 6, modes.count)].joined(separator: ", ")
        }
        return """
            BASE64URL
                    Base64 for URLs (RFC 4648, section 5) of a line of at most 256 bytes of UTF-8
            COLOR   hexadecimal: rgb, rgba, rrggbb or rrggbbaa
            CORNERS some of tl, tr, bl and br, joined by +; all four by default
            GRAVITY \(StepArguments.anchors.map(\.name).joined(separator: ", "))
            NAME    in kingfisher get, the path of an image file without a comma
            MODE    \(lines.joined(separator: ",\n        "))
            R       of corners, pixels or a percentage of the image's width or height: 20, 50%w, 25%h
            SIZE    of letters, as R
            """
    }
}
