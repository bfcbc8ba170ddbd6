import Foundation

/// A value and the limit that it must not exceed. The name ends with the unit.
public struct Measurement: Sendable {
    public let name: String
    public let value: Double
    public let limit: Double
    /// Details that explain the value.
    public let detail: String

    init(_ name: String, _ value: Double, limit: Double, detail: String = "") {
        self.name = name
        self.value = value
        self.limit = limit
        self.detail = detail
    }

    /// Whether the value is within the limit.
    public var isHeld: Bool { value <= limit }

    /// `siege NAME VALUE LIMIT`, with at most two decimals.
    public var line: String { "siege \(name) \(Self.text(value)) \(Self.text(limit))" }

    /// The number of clients without a thumbnail. Clients that retry when told to must get one.
    static func unanswered(_ attack: String, _ outcomes: [Crowd.Outcome]) -> Measurement {
        let failed = Dictionary(grouping: outcomes.filter { !$0.isThumbnail }, by: \.text)
        let detail = failed.map { "\($1.count) x \($0)" }.sorted().joined(separator: "; ")
        return Measurement(
            "\(attack)-unanswered", Double(failed.values.reduce(0) { $0 + $1.count }), limit: 0,
            detail: detail)
    }

    private static func text(_ number: Double) -> String {
        number == number.rounded() ? String(format: "%.0f", number) : String(format: "%.2f", number)
    }
}
