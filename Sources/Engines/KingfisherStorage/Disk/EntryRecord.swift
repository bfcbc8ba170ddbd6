/// Additional data of an entry, which the disk cache stores without interpreting it.
package struct EntryRecord: Sendable, Equatable {
    /// The meaning of the bytes; texts are UTF-8. Numbers are assigned here and never reused.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        package static let httpFreshness = Kind(rawValue: 1)
        /// The response's own cache directives, if redirects have restricted them.
        package static let httpOwnDirectives = Kind(rawValue: 2)
        package static let key = Kind(rawValue: 3)
        package static let tag = Kind(rawValue: 4)
        /// The entry is for one user and is never written to a tier. Without bytes.
        package static let isPrivate = Kind(rawValue: 5)

        var isHTTP: Bool { self == .httpFreshness || self == .httpOwnDirectives }
    }

    package let kind: Kind
    package let bytes: [UInt8]

    /// The maximum number of bytes in one record. ext4 has room for less than 4 kB of attributes in total.
    package static let mostBytes = Int(UInt16.max)

    package init?(_ kind: Kind, _ bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes else { return nil }
        self.kind = kind
        self.bytes = bytes
    }
}

extension EntryRecord {
    package var encoded: [UInt8] {
        var encoded: [UInt8] = []
        encoded.appendLittleEndian(kind.rawValue)
        encoded.appendLittleEndian(UInt16(bytes.count))
        return encoded + bytes
    }

    package static func read(_ bytes: [UInt8]) -> [EntryRecord]? {
        var records: [EntryRecord] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let head = Array(rest.prefix(4))
            guard let kind: UInt16 = head.littleEndian(at: 0), let count: UInt16 = head.littleEndian(at: 2),
                rest.count >= 4 + Int(count),
                let record = EntryRecord(Kind(rawValue: kind), Array(rest.dropFirst(4).prefix(Int(count))))
            else { return nil }
            records.append(record)
            rest = rest.dropFirst(4 + Int(count))
        }
        return records
    }
}

extension EntryRecord {
    /// The records of a key and tags, for `EntrySelection`. Texts that are too long for a record are omitted.
    package static func records(key: String?, tags: some Sequence<String>) -> [EntryRecord] {
        let key = key.flatMap { EntryRecord(.key, Array($0.utf8)) }
        return (key.map { [$0] } ?? []) + tags.compactMap { EntryRecord(.tag, Array($0.utf8)) }
    }

    package static func records(isPrivate: Bool) -> [EntryRecord] {
        isPrivate ? EntryRecord(.isPrivate, []).map { [$0] } ?? [] : []
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension [EntryRecord] {
    package var arePrivate: Bool { contains { $0.kind == .isPrivate } }
}
