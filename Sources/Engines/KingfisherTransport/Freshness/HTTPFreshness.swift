package import Foundation

/// The freshness information and the validators of a response (RFC 9111).
///
/// A pure value. It is created from a response's fields, stored beside its bytes (`encoded`), renewed by a
/// 304, and tells how the bytes may be used at a given time (`reuse`).
package struct HTTPFreshness: Sendable, Equatable {
    package enum Variance: UInt8, Sendable {
        case nothing
        case accept
        /// A field that is not stored, or (`*`) something other than the request.
        case other
    }

    package var directives = CacheDirectives()
    /// The response's own directives, if redirects have restricted them. Later redirects may differ.
    package var ownDirectives: CacheDirectives?
    /// The distant past if the field was invalid (RFC 9111, 5.3).
    package var expires: Date?
    package var date: Date?
    /// The age in seconds when the response was received: `Age` plus the duration of the exchange.
    package var age: UInt32 = 0
    package var entityTag: String?
    package var lastModified: String?
    package var variance = Variance.nothing
    package var accept: String?
    package var allowsHeuristics = true
    /// Whether the bytes are a part, or answer another method than GET: no setting allows storing them.
    package var isForbidden = false
    /// When the head was received, not the end of the body or of the decoding.
    package var receivedAt: Date
    /// A hash of the resource that has responded: validators are meaningful only for the same one. That is
    /// the final URL or, if the program has a key for that URL, the key and the URL without its query.
    package var origin: UInt64 = 0

    package init(receivedAt: Date) {
        self.receivedAt = receivedAt
    }

    /// The freshness of a local file's bytes, which have its version as their only validator. The bytes of a
    /// response have another origin.
    package init(ofFileVersion version: String, receivedAt: Date) {
        self.init(receivedAt: receivedAt)
        entityTag = version
    }

    /// The version of the local file; nil for a response.
    package var fileVersion: String? { origin == 0 ? entityTag : nil }

    /// Longer values are not stored, so that all of them fit into a file's attribute.
    static let (mostTagBytes, mostDateBytes, mostAcceptBytes) = (1_024, 64, 512)
}

extension HTTPFreshness {
    /// - Parameters:
    ///   - delay: Seconds from sending the request to receiving the head.
    ///   - time: When the head was received.
    ///   - resourceKey: The program's key of the final URL; nil if that is the URL.
    package init(
        _ response: TransportResponse, to method: String = "GET", accept: String?, delay: TimeInterval,
        at time: Date, resourceKey: String? = nil
    ) {
        self.init(receivedAt: time)
        allowsHeuristics = [200, 203].contains(response.status)
        origin = Self.origin(of: response, resourceKey)
        update(response, accept: accept, delay: delay)
        // Partial responses must not be stored without range support (RFC 9111, 3.3), and responses to
        // methods other than GET must not be stored at all (3 and 4).
        if response.status == 206 || method != "GET" { (directives.noStore, isForbidden) = (true, true) }
    }

    /// This record updated by a 304 response: its fields replace the stored ones (RFC 9111, 3.2 and 4.3.4).
    ///
    /// Returns nil if the 304 came from another resource, where equal validators have another meaning, or if
    /// its tag differs, so that it describes other bytes.
    package func confirmed(
        by response: TransportResponse, accept: String?, delay: TimeInterval, at time: Date,
        resourceKey: String? = nil
    ) -> HTTPFreshness? {
        // The URL itself also counts: the response may have been stored when there was no key.
        let origins = [Self.origin(of: response, resourceKey), Self.origin(of: response, nil)]
        guard origins.contains(origin), hasTag(of: response) else { return nil }
        var renewed = self
        (renewed.directives, renewed.ownDirectives) = (ownDirectives ?? directives, nil)
        renewed.receivedAt = time
        (renewed.date, renewed.age) = (nil, 0)
        renewed.update(response, accept: accept, delay: delay)
        return renewed
    }

    /// Whether a 304 names these bytes, or no bytes. Tags are compared weakly, as servers do for
    /// `If-None-Match` (RFC 9110, 8.8.3.2), because a compressing server may have weakened only the tag of
    /// the image. A strong tag never matches bytes without a tag.
    private func hasTag(of response: TransportResponse) -> Bool {
        guard let tag = response.value(forField: "ETag").flatMap(Self.usableTag) else { return true }
        let weak = "W/"
        guard let entityTag else { return tag.hasPrefix(weak) }
        func opaque(_ tag: String) -> Substring { tag.hasPrefix(weak) ? tag.dropFirst(weak.count) : tag[...] }
        return opaque(tag) == opaque(entityTag)
    }

    private mutating func update(_ response: TransportResponse, accept: String?, delay: TimeInterval) {
        if let field = response.value(forField: "Cache-Control") {
            directives = CacheDirectives(field)
        }
        if let field = response.value(forField: "Expires") {
            expires = HTTPDate.read(field, now: receivedAt) ?? .distantPast
        }
        date = response.value(forField: "Date").flatMap { HTTPDate.read($0, now: receivedAt) }
        // A list is invalid, and its first element counts (RFC 9111, 5.1).
        let first = response.value(forField: "Age")?.prefix { $0 != "," } ?? ""
        let seconds = Double(DeltaSeconds.read(first.trimmingCharacters(in: .whitespaces)) ?? 0)
        age = UInt32(clamping: Int64((seconds + min(max(0, delay), Double(DeltaSeconds.most))).rounded()))
        if let field = response.value(forField: "ETag") { entityTag = Self.usableTag(field) }
        if let field = response.value(forField: "Last-Modified") {
            let isUsable =
                field.utf8.count <= Self.mostDateBytes && HTTPDate.read(field, now: receivedAt) != nil
            lastModified = isUsable ? field : nil
        }
        if let field = response.value(forField: "Vary") { vary(on: field) }
        if variance == .accept { keep(accept) }
    }

    private mutating func vary(on field: String) {
        let names = field.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
        // The transport adds Accept-Encoding and decodes the body, so the stored bytes do not depend on it.
        let others = Set(names).subtracting(["", "accept-encoding"])
        variance = others.isEmpty ? .nothing : others == ["accept"] ? .accept : .other
        self.accept = nil
    }

    private mutating func keep(_ accept: String?) {
        self.accept = accept
        let isKept =
            accept.map {
                $0.utf8.count <= Self.mostAcceptBytes && $0.utf8.allSatisfy { (0x20...0x7e).contains($0) }
            }
        if isKept == false { (variance, self.accept) = (.other, nil) }
    }

    /// A tag that can be sent back unchanged: without spaces, which a joined list would contain.
    private static func usableTag(_ field: String) -> String? {
        let isUsable =
            (1...mostTagBytes).contains(field.utf8.count)
            && field.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        return isUsable ? field : nil
    }

    private static func origin(of response: TransportResponse, _ resourceKey: String?) -> UInt64 {
        var text = response.url?.absoluteString ?? ""
        if let resourceKey { text = "\(text.prefix { $0 != "?" && $0 != "#" })\n\(resourceKey)" }
        return text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
