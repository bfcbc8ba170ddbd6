import Foundation

/// The encoding of a freshness record, at most 1,700 bytes. Version 1, numbers little-endian:
///
///     offset  bytes
///          0      1  version
///          1      1  flags: no-store, no-cache, must-revalidate, heuristics allowed, storing forbidden
///          2      1  what the response varies on
///          3      1  reserved, zero
///          4      4  age, seconds
///          8     12  max-age, stale-while-revalidate, stale-if-error, seconds; all ones mean none
///         20     24  received at, Date, Expires, milliseconds since 1970; the least number means none
///         44      8  hash of the URL
///         52         entity tag, Last-Modified, Accept: a length (2) and as many bytes; all ones mean none
extension HTTPFreshness {
    static let version: UInt8 = 1

    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.put(Self.version)
        writer.put(directives.flags | (allowsHeuristics ? 8 : 0) | (isForbidden ? 16 : 0))
        writer.put(variance.rawValue)
        writer.put(UInt8(0))
        writer.put(age)
        writer.put(directives)
        for moment in [receivedAt, date, expires] { writer.put(moment) }
        writer.put(origin)
        for text in [entityTag, lastModified, accept] { writer.put(text) }
        return writer.bytes
    }

    /// Returns nil for another version and for malformed records.
    package init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.take() == Self.version, let flags: UInt8 = reader.take(),
            let variance = reader.take().flatMap({ Variance(rawValue: $0) }), reader.take() == UInt8(0),
            let age: UInt32 = reader.take(), let directives = reader.takeDirectives(flags: flags),
            let received = reader.takeDate(), let receivedAt = received, let date = reader.takeDate(),
            let expires = reader.takeDate(), let origin: UInt64 = reader.take(),
            let entityTag = reader.takeText(most: Self.mostTagBytes),
            let lastModified = reader.takeText(most: Self.mostDateBytes),
            let accept = reader.takeText(most: Self.mostAcceptBytes), reader.isAtEnd
        else { return nil }
        self.init(receivedAt: receivedAt)
        self.directives = directives
        (allowsHeuristics, isForbidden) = (flags & 8 != 0, flags & 16 != 0)
        (self.variance, self.age, self.origin) = (variance, age, origin)
        (self.date, self.expires) = (date, expires)
        (self.entityTag, self.lastModified, self.accept) = (entityTag, lastModified, accept)
    }
}

/// The encoding of a response's own directives, in a separate record. Readers that do not know this record
/// use the restricted directives. Version 1:
///
///     offset  bytes
///          0      1  version
///          1      1  flags: no-store, no-cache, must-revalidate
///          2     12  max-age, stale-while-revalidate, stale-if-error, as above
extension CacheDirectives {
    package var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.put(HTTPFreshness.version)
        writer.put(flags)
        writer.put(self)
        return writer.bytes
    }

    package init?(_ bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard reader.take() == HTTPFreshness.version, let flags: UInt8 = reader.take(),
            let directives = reader.takeDirectives(flags: flags), reader.isAtEnd
        else { return nil }
        self = directives
    }

    fileprivate var flags: UInt8 { (noStore ? 1 : 0) | (noCache ? 2 : 0) | (mustRevalidate ? 4 : 0) }
}

private struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func put(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func put(_ directives: CacheDirectives) {
        for seconds in [directives.maxAge, directives.staleWhileRevalidate, directives.staleIfError] {
            put(seconds ?? .max)
        }
    }

    /// Writes milliseconds, clamped to 64 bits.
    mutating func put(_ moment: Date?) {
        let milliseconds = moment.map { ($0.timeIntervalSince1970 * 1_000).rounded() }
        put(milliseconds.map { max(Int64(exactly: $0) ?? ($0 > 0 ? .max : .min), .min + 1) } ?? .min)
    }

    mutating func put(_ text: String?) {
        put(text.map { UInt16(clamping: $0.utf8.count) } ?? .max)
        bytes.append(contentsOf: (text ?? "").utf8)
    }
}

private struct ByteReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) {
        rest = bytes[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take<Value: FixedWidthInteger>() -> Value? {
        let size = MemoryLayout<Value>.size
        guard rest.count >= size else { return nil }
        defer { rest = rest.dropFirst(size) }
        return rest.withUnsafeBytes { Value(littleEndian: $0.loadUnaligned(as: Value.self)) }
    }

    mutating func takeDirectives(flags: UInt8) -> CacheDirectives? {
        guard let maxAge = takeSeconds(), let staleWhileRevalidate = takeSeconds(),
            let staleIfError = takeSeconds()
        else { return nil }
        var directives = CacheDirectives()
        directives.noStore = flags & 1 != 0
        directives.noCache = flags & 2 != 0
        directives.mustRevalidate = flags & 4 != 0
        directives.maxAge = maxAge
        directives.staleWhileRevalidate = staleWhileRevalidate
        directives.staleIfError = staleIfError
        return directives
    }

    /// The outer optional is nil at the end of the data, the inner one if no value was written.
    private mutating func takeSeconds() -> UInt32?? {
        guard let seconds: UInt32 = take() else { return nil }
        return .some(seconds == .max ? nil : seconds)
    }

    mutating func takeDate() -> Date?? {
        guard let milliseconds: Int64 = take() else { return nil }
        return .some(
            milliseconds == .min ? nil : Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1_000))
    }

    /// Only printable ASCII, because the text is sent to servers.
    mutating func takeText(most: Int) -> String?? {
        guard let count: UInt16 = take() else { return nil }
        if count == .max { return .some(nil) }
        guard count <= most, rest.count >= count else { return nil }
        let bytes = rest.prefix(Int(count))
        rest = rest.dropFirst(Int(count))
        guard bytes.allSatisfy({ (0x20...0x7e).contains($0) }) else { return nil }
        return .some(String(decoding: bytes, as: UTF8.self))
    }
}
