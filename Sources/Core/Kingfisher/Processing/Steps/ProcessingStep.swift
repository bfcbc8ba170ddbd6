public import Foundation

/// A processing step for an image, parsed from text such as `crop:200x100,0,1`: a name, a colon and
/// arguments.
///
/// For tools and servers that accept steps from users; the syntax is the same as in `kingfisher get -p`.
/// Sizes are in pixels, for images at scale 1. Results of built-in steps are within bounds: sides of at most
/// 32,768 pixels, results of at most 100 megapixels. Two steps are equal if their processors have the same
/// identifier.
public struct ProcessingStep: Hashable, Sendable {
    /// What the text says. A `watermark` step has no image here, and fails; see
    /// `[ProcessingStep].processor(watermarks:)`.
    public let processor: any ImageProcessor
    /// The size in pixels that the text contains, such as 300 x 200 in `fit:300x200`, with 0 for a free side,
    /// or what the edges of `margin` add; nil for a step without a size.
    public let size: CGSize?

    /// Parses a step. The description of an error says what is expected.
    public init(_ text: String, grammar: StepGrammar = .standard) throws(ProcessingStepError) {
        let colon = text.firstIndex(of: ":")
        let definition = try grammar.definition(named: text[..<(colon ?? text.endIndex)])
        var arguments = try StepArguments(colon.map { text[text.index(after: $0)...] }, of: definition)
        do {
            processor = try definition.make(&arguments)
        } catch {
            throw error as? ProcessingStepError ?? .refused("\(error)")
        }
        size = arguments.parsedSize
        try arguments.end()
    }

    public static func == (one: ProcessingStep, other: ProcessingStep) -> Bool {
        one.processor.identifier == other.processor.identifier
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(processor.identifier) }

    fileprivate func processor(watermarks: [String: WatermarkImageProcessor.Mark]) -> any ImageProcessor {
        guard let named = processor as? NamedWatermark, let mark = watermarks[named.name] else {
            return processor
        }
        return WatermarkImageProcessor(
            mark.image, name: mark.name, anchor: named.anchor, opacity: named.opacity)
    }
}

extension [ProcessingStep] {
    /// A processor that runs all steps in sequence; nil without steps.
    public var processor: (any ImageProcessor)? { processor(watermarks: [:]) }

    /// A processor that runs all steps in sequence, in which `watermark` steps draw the image of their name.
    ///
    /// A step whose name is not in `watermarks` fails with `processingFailed`. Nil without steps.
    public func processor(
        watermarks: [String: WatermarkImageProcessor.Mark]
    ) -> (any ImageProcessor)? {
        guard let first else { return nil }
        return dropFirst().reduce(first.processor(watermarks: watermarks)) {
            $0 |> $1.processor(watermarks: watermarks)
        }
    }

    /// The names of the images that `watermark` steps draw.
    public var watermarkNames: Set<String> {
        Set(compactMap { ($0.processor as? NamedWatermark)?.name })
    }
}

/// A `watermark` step, whose image the program has under a name. Fails without one.
struct NamedWatermark: ImageProcessor {
    let name: String
    let anchor: CGPoint
    let opacity: Double

    var identifier: String {
        ProcessorIdentifier.make("NamedWatermark", "\(name)_\(ProcessorIdentifier.point(anchor))_\(opacity)")
    }

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        nil
    }
}
