/// An error of parsing a processing step; `description` says what is expected.
public enum ProcessingStepError: Error, Hashable, CustomStringConvertible {
    /// There is no step with that name.
    case unknownStep(String)
    /// The step has fewer arguments than it needs.
    case missingArguments(ProcessingStep.Kind)
    /// An argument is invalid, or there are too many.
    case badValue(String, ProcessingStep.Kind)
    /// A number is out of its bounds.
    case outOfBounds(String, ClosedRange<Double>)
    /// A size has more than 100 megapixels.
    case tooManyPixels(String)

    public var description: String {
        switch self {
        case .unknownStep(let name):
            let known = ProcessingStep.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            return "unknown step '\(name)'; expected one of \(known)"
        case .missingArguments(let kind):
            return "missing arguments; expected \(Self.form(of: kind))"
        case .badValue(let text, let kind):
            return "invalid argument '\(text)'; expected \(Self.form(of: kind))"
        case .outOfBounds(let text, let bounds):
            let (low, high) = (Self.plain(bounds.lowerBound), Self.plain(bounds.upperBound))
            return "\(text) is out of range; expected \(low) to \(high)"
        case .tooManyPixels(let text):
            let megapixels = ProcessingStep.Bounds.maximumArea / 1_000_000
            return "\(text) exceeds the limit of \(Self.plain(megapixels)) megapixels"
        }
    }

    private static func form(of kind: ProcessingStep.Kind) -> String {
        kind.usage == kind.example
            ? "\(kind.usage) without arguments" : "\(kind.usage), such as \(kind.example)"
    }

    private static func plain(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }
}
