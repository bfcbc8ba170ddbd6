/// A processing step that users write as text, such as `blur:5`: its syntax, and the processor that it makes.
///
/// The built-in definitions are beside their processors. This one adds a step to the grammar of a program:
///
///     let grammar = StepGrammar.standard.adding(
///         StepDefinition("fade:F", example: "fade:0.5", summary: "Fades to white by F in 0...1.") {
///             OverlayImageProcessor(overlay: .white, fraction: 1 - (try $0.number(in: 0...1)))
///         })
///     let step = try ProcessingStep("fade:0.3", grammar: grammar)
public struct StepDefinition: Sendable {
    /// Reads the arguments in their order, and makes the processor. Arguments that it leaves are an error.
    /// Errors other than `ProcessingStepError` become `ProcessingStepError.refused`.
    public typealias Maker = @Sendable (inout StepArguments) throws -> any ImageProcessor

    /// The syntax, such as `overlay:#COLOR[,F]`; arguments in brackets are optional.
    public let usage: String
    /// A step of this kind, as text.
    public let example: String
    /// What the step does, in a sentence or two.
    public let summary: String
    let make: Maker

    /// Creates a definition; the name of the step is what precedes the first `:` or `[` of `usage`.
    public init(_ usage: String, example: String, summary: String, make: @escaping Maker) {
        (self.usage, self.example, self.summary, self.make) = (usage, example, summary, make)
    }

    /// The name of the step, before the colon.
    public var name: String { String(usage.prefix { !":[".contains($0) }) }

    /// What an error says is expected.
    var form: String {
        usage == example ? "\(usage) without arguments" : "\(usage), such as \(example)"
    }
}
