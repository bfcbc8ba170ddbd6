/// Why a text is not a processing step; `description` says what would be right.
public enum ProcessingStepError: Error, Hashable, CustomStringConvertible {
    /// There is no step of that name.
    case unknownStep(String)
    /// The step has fewer arguments than it needs.
    case missingArguments(ProcessingStep.Kind)
    /// An argument of the step is not what can be there.
    case badValue(String, ProcessingStep.Kind)
    /// A number is not within its bounds.
    case outOfBounds(String, ClosedRange<Double>)
    /// A size has more than 100 megapixels.
    case tooManyPixels(String)

    public var description: String {
        switch self {
        case .unknownStep(let name):
            let known = ProcessingStep.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            return "there is no step '\(name)'; there are \(known)"
        case .missingArguments(let kind):
            return "arguments are missing; it is \(Self.form(of: kind))"
        case .badValue(let text, let kind):
            return "'\(text)' does not belong here; it is \(Self.form(of: kind))"
        case .outOfBounds(let text, let bounds):
            return
                "\(text) is not within \(Self.plain(bounds.lowerBound)) and \(Self.plain(bounds.upperBound))"
        case .tooManyPixels(let text):
            let megapixels = ProcessingStep.Bounds.maximumArea / 1_000_000
            return "\(text) are more than \(Self.plain(megapixels)) megapixels"
        }
    }

    private static func form(of kind: ProcessingStep.Kind) -> String {
        kind.usage == kind.example ? "\(kind.usage) alone" : "\(kind.usage), such as \(kind.example)"
    }

    /// A number without a needless `.0`.
    private static func plain(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }
}
