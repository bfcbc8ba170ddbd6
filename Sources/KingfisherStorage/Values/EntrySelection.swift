/// The entries that a removal is about.
package enum EntrySelection: Sendable, Equatable {
    /// Those whose key begins with the bytes of a text.
    case keyPrefix(String)
    /// Those that have at least one of these tags.
    case tagged(Set<String>)

    package func contains(key: String, tags: some Sequence<String>) -> Bool {
        switch self {
        case .keyPrefix(let prefix): key.utf8.starts(with: prefix.utf8)
        case .tagged(let wanted): tags.contains { wanted.contains($0) }
        }
    }

    /// An entry without a record of its key or tags is in no selection.
    func contains(_ records: [EntryRecord]) -> Bool {
        switch self {
        case .keyPrefix(let prefix):
            records.contains { $0.kind == .key && $0.bytes.starts(with: prefix.utf8) }
        case .tagged(let wanted): records.contains { $0.kind == .tag && wanted.contains($0.text) }
        }
    }
}
