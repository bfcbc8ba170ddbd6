package import Foundation

/// What a response said about how long it may be used, and how to ask whether it still may (RFC 9111).
///
/// A pure value: made of a response's fields, kept beside its bytes (`encoded`), renewed by a 304, and asked
/// with a time what may be done with the bytes (`reuse`).
package struct HTTPFreshness: Sendable, Equatable {
    /// What of the request a response depends on.
    package enum Variance: UInt8, Sendable {
        case nothing
        /// On `Accept`, which is kept.
        case accept
        /// On something that is not kept, or (`*`) on what is no part of the request.
        case other
    }

    /// What holds, redirects on the way included.
    package var directives = CacheDirectives()
    /// What the response itself said, where redirects have limited that: the next ones may do otherwise.
    package var ownDirectives: CacheDirectives?
    /// The past where the field was there and invalid (RFC 9111, 5.3).
    package var expires: Date?
    package var date: Date?
    /// Seconds that the response was old when it came: `Age`, and the time that the exchange took.
    package var age: UInt32 = 0
    package var entityTag: String?
    package var lastModified: String?
    package var variance = Variance.nothing
    /// What the request had said, for a response that varies on it.
    package var accept: String?
    /// Whether a lifetime may be guessed for the response's status.
    package var allowsHeuristics = true
    /// When its head came, however long its body and the decoding took.
    package var receivedAt: Date
    /// Stands for the URL that it came from in the end: validators mean nothing elsewhere.
    package var origin: UInt64 = 0

    package init(receivedAt: Date) {
        self.receivedAt = receivedAt
    }

    /// More is left out, so that all of them find room beside a file.
    static let (mostTagBytes, mostDateBytes, mostAcceptBytes) = (1_024, 64, 512)
}

extension HTTPFreshness {
    /// Reads a response.
    ///
    /// - Parameters:
    ///   - method: Its request's.
    ///   - accept: What its request said.
    ///   - delay: Seconds from the request, when it was sent, to the response's head.
    ///   - time: When that came.
    package init(
        _ response: TransportResponse, to method: String = "GET", accept: String?, delay: TimeInterval,
        at time: Date
    ) {
        self.init(receivedAt: time)
        allowsHeuristics = [200, 203].contains(response.status)
        origin = Self.origin(of: response)
        update(response, accept: accept, delay: delay)
        // Parts of an image are not for a cache that knows no ranges (RFC 9111, 3.3), nor is what answers
        // another method than GET (3 and 4).
        if response.status == 206 || method != "GET" { directives.noStore = true }
    }

    /// This record after a 304: what that says takes the place of what was known (RFC 9111, 3.2 and 4.3.4).
    ///
    /// Nil where the 304 came from elsewhere than the bytes, where an equal validator means another thing,
    /// and where its tag is another: then it speaks of other bytes.
    package func confirmed(
        by response: TransportResponse, accept: String?, delay: TimeInterval, at time: Date
    ) -> HTTPFreshness? {
        guard Self.origin(of: response) == origin, hasTag(of: response) else { return nil }
        var renewed = self
        (renewed.directives, renewed.ownDirectives) = (ownDirectives ?? directives, nil)
        renewed.receivedAt = time
        (renewed.date, renewed.age) = (nil, 0)
        renewed.update(response, accept: accept, delay: delay)
        return renewed
    }

    /// Whether a 304 names these bytes, or none. Tags are compared as the server does it for `If-None-Match`
    /// (weakly: RFC 9110, 8.8.3.2): one that compresses may have weakened the tag of the image only. A
    /// strong tag names nothing that came without one.
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
        // A list is none, and its first member counts (RFC 9111, 5.1).
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
        // What the transport asks for and undoes changes no byte of what is kept.
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

    /// A tag that can be sent back as it came: without blanks, of which a joined list would have some.
    private static func usableTag(_ field: String) -> String? {
        let isUsable =
            (1...mostTagBytes).contains(field.utf8.count)
            && field.utf8.allSatisfy { (0x21...0x7e).contains($0) }
        return isUsable ? field : nil
    }

    /// FNV-1a of the URL.
    private static func origin(of response: TransportResponse) -> UInt64 {
        (response.url?.absoluteString ?? "").utf8.reduce(0xcbf2_9ce4_8422_2325) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
    }
}
