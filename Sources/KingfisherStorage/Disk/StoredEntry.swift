package import Foundation

/// An entry as the disk gives it back.
package struct StoredEntry: Sendable, Equatable {
    /// The bytes that were stored.
    package let payload: Data
    /// When they were; nil where the file has lost its attribute.
    package let storedAt: Date?
    /// What travels with them, in the order in which it was stored.
    package let records: [EntryRecord]

    package var tags: [String] { records.filter { $0.kind == .tag }.map(\.text) }
}
