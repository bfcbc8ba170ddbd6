import Foundation

extension Date {
    /// ISO 8601, in UTC, to the second.
    var text: String { formatted(.iso8601) }
}

extension JSONLine.Value {
    static func moment(_ date: Date?) -> Self { date.map { .text($0.text) } ?? .null }
}
