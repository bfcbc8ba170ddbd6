public import Testing

/// The behaviours of docs/behaviours.md that a test shows, by number. `scripts/behaviours/check` reads them.
public struct BehavioursTrait: TestTrait {
    public let numbers: [String]

    public var comments: [Comment] { ["Behaviours \(numbers.joined(separator: ", "))"] }
}

extension Trait where Self == BehavioursTrait {
    /// Says that a test shows the behaviours with these numbers, `"M-16"` for one.
    public static func behaviours(_ numbers: String...) -> Self { BehavioursTrait(numbers: numbers) }
}
