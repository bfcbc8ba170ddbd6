/// An error of parsing a processing step; `description` says what is expected.
public enum ProcessingStepError: Error, Hashable, CustomStringConvertible {
    /// The grammar has no step with that name; `known` has the names of its steps.
    case unknownStep(String, known: [String])
    /// The step has fewer arguments than it needs; `expected` is its syntax.
    case missingArguments(expected: String)
    /// An argument is invalid, or there are too many; `expected` is the step's syntax.
    case badValue(String, expected: String)
    /// A number is out of its bounds.
    case outOfBounds(String, ClosedRange<Double>)
    /// A size has more than 100 megapixels.
    case tooManyPixels(String)
    /// The definition of a program refuses the arguments, for this reason.
    case refused(String)

    public var description: String {
        switch self {
        case .unknownStep(let name, let known):
            return "unknown step '\(name)'; expected one of \(known.joined(separator: ", "))"
        case .missingArguments(let expected):
            return "missing arguments; expected \(expected)"
        case .badValue(let text, let expected):
            return "invalid argument '\(text)'; expected \(expected)"
        case .outOfBounds(let text, let bounds):
            let (low, high) = (Self.plain(bounds.lowerBound), Self.plain(bounds.upperBound))
            return "\(text) is out of range; expected \(low) to \(high)"
        case .tooManyPixels(let text):
            let megapixels = StepArguments.maximumArea / 1_000_000
            return "\(text) exceeds the limit of \(Self.plain(megapixels)) megapixels"
        case .refused(let reason):
            return reason
        }
    }

    private static func plain(_ number: Double) -> String {
        number == number.rounded() ? String(Int(number)) : String(number)
    }
}
