package enum EntrySelection: Sendable, Equatable {
    /// Entries whose key starts with the UTF-8 bytes of a text.
    case keyPrefix(String)
    /// Entries that have at least one of these tags.
    case tagged(Set<String>)

    package func contains(key: String, tags: some Sequence<String>) -> Bool {
        switch self {
        case .keyPrefix(let prefix): key.utf8.starts(with: prefix.utf8)
        case .tagged(let wanted): tags.contains { wanted.contains($0) }
        }
    }

    func contains(_ records: [EntryRecord]) -> Bool {
        switch self {
        case .keyPrefix(let prefix):
            records.contains { $0.kind == .key && $0.bytes.starts(with: prefix.utf8) }
        case .tagged(let wanted): records.contains { $0.kind == .tag && wanted.contains($0.text) }
        }
    }
}
