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
    var encoded: [UInt8] {
        var encoded: [UInt8] = []
        encoded.appendLittleEndian(kind.rawValue)
        encoded.appendLittleEndian(UInt16(bytes.count))
        return encoded + bytes
    }

    /// The records that stand one after another; nil when one breaks off.
    static func read(_ bytes: ArraySlice<UInt8>) -> [EntryRecord]? {
        var records: [EntryRecord] = []
        var rest = Array(bytes)[...]
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
