/// Something that travels with an entry, which the disk cache keeps without understanding it.
package struct EntryRecord: Sendable, Equatable {
    /// What the bytes mean; numbers are given out here and never used again.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt16

        package init(rawValue: UInt16) {
            self.rawValue = rawValue
        }

        /// What an HTTP response said about how long it may be used, and how to ask whether it still may.
        package static let httpFreshness = Kind(rawValue: 1)
        /// What that said itself, where redirects on the way have limited it.
        package static let httpOwnDirectives = Kind(rawValue: 2)
        /// The key that the entry was stored under, in UTF-8.
        package static let key = Kind(rawValue: 3)
        /// One of the entry's tags, in UTF-8.
        package static let tag = Kind(rawValue: 4)

        /// Whether an HTTP response replaces it.
        var isHTTP: Bool { self == .httpFreshness || self == .httpOwnDirectives }
    }

    package let kind: Kind
    package let bytes: [UInt8]

    /// The most bytes that one record can hold. ext4 has room for less than 4 kB of attributes in all.
    package static let mostBytes = Int(UInt16.max)

    /// Nil when there are more bytes than a record can hold.
    package init?(_ kind: Kind, _ bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes else { return nil }
        self.kind = kind
        self.bytes = bytes
    }
}

extension EntryRecord {
    /// Kind, length and bytes, as an attribute has them.
    package var encoded: [UInt8] {
        var encoded: [UInt8] = []
        encoded.appendLittleEndian(kind.rawValue)
        encoded.appendLittleEndian(UInt16(bytes.count))
        return encoded + bytes
    }

    /// The records that stand one after another; nil when one breaks off.
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
    /// The records of a key and tags, for `EntrySelection`; none of a text that is too long for a record.
    package static func records(key: String?, tags: some Sequence<String>) -> [EntryRecord] {
        let key = key.flatMap { EntryRecord(.key, Array($0.utf8)) }
        return (key.map { [$0] } ?? []) + tags.compactMap { EntryRecord(.tag, Array($0.utf8)) }
    }

    /// The bytes as UTF-8.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
