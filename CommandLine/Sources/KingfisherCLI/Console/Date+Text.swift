import Foundation

extension Date {
    /// UTC to the second, by ISO 8601.
    var text: String { formatted(.iso8601) }
}

extension JSONLine.Value {
    static func moment(_ date: Date?) -> Self { date.map { .text($0.text) } ?? .null }
}
