import Foundation

/// What an HTTP server answers to a GET or HEAD request for a cached file (RFC 9110): all bytes, a range of
/// them, or that the client has the file already.
///
/// A pure value, computed without I/O.
public struct CachedFileResponse: Sendable, Hashable {
    /// 200, 206 (a range), 304 (not modified) or 416 (a range beyond the file).
    public let status: Int
    /// `Accept-Ranges`, and if they apply `Content-Type`, `ETag` and `Content-Range`. Not `Content-Length`,
    /// which servers set themselves (``contentLength``).
    public let headers: [String: String]
    /// The bytes of the file to send; empty with the status 304 or 416. For HEAD, the bytes that a server
    /// would send for GET.
    public let range: Range<Int>

    /// The number of bytes of the body, for `Content-Length`; nil with the status 304, which has none.
    public var contentLength: Int? { status == 304 ? nil : range.count }
}

extension CachedImageFile {
    /// The response to a GET or HEAD request for this file.
    ///
    /// `If-None-Match` with the tag of the file, or `*`, gives 304. A range is used if the method is GET, if
    /// it is the only range, and if `If-Range` is absent or has the tag of the file. A malformed range counts
    /// as absent. Dates are not compared.
    ///
    /// - Parameters:
    ///   - method: The method of the request, in upper case.
    ///   - allowsScripts: Whether an SVG has the media type `image/svg+xml`; see ``mediaType``.
    ///   - header: Returns the value of a request header, by its name in any case.
    public func response(
        to method: String = "GET", allowsScripts: Bool = false, header: (_ name: String) -> String?
    ) -> CachedFileResponse {
        CachedFileResponse(
            byteCount: byteCount, entityTag: entityTag,
            mediaType: mediaType(allowingScripts: allowsScripts), method: method, header: header)
    }
}

extension CachedFileResponse {
    /// The response to a GET or HEAD request for bytes in memory, by the rules of
    /// ``CachedImageFile/response(to:allowsScripts:header:)``.
    ///
    /// - Parameters:
    ///   - entityTag: The tag of the bytes with its quotation marks; nil to send none.
    ///   - method: The method of the request, in upper case.
    ///   - header: Returns the value of a request header, by its name in any case.
    public init(
        byteCount: Int, entityTag: String?, mediaType: String?, method: String = "GET",
        header: (_ name: String) -> String?
    ) {
        self.init(
            byteCount: byteCount, entityTag: entityTag, mediaType: mediaType,
            conditions: Conditions(
                range: method == "GET" ? header("Range") : nil, ifRange: header("If-Range"),
                ifNoneMatch: header("If-None-Match")))
    }

    struct Conditions {
        var range: String?
        var ifRange: String?
        var ifNoneMatch: String?
    }

    init(byteCount: Int, entityTag: String?, mediaType: String?, conditions: Conditions) {
        var headers = ["Accept-Ranges": "bytes"]
        headers["ETag"] = entityTag
        if let list = conditions.ifNoneMatch, Self.matches(list, entityTag) {
            self.init(status: 304, headers: headers, range: 0..<0)
            return
        }
        // A tag with the mark of weak tags never allows a range.
        let allowsRange = conditions.ifRange.map { $0.trimmed == entityTag } ?? true
        switch ByteRange(allowsRange ? conditions.range : nil)?.bytes(of: byteCount) {
        case nil:
            headers["Content-Type"] = mediaType
            self.init(status: 200, headers: headers, range: 0..<byteCount)
        case .some(let range) where range.isEmpty:
            headers["Content-Range"] = "bytes */\(byteCount)"
            self.init(status: 416, headers: headers, range: range)
        case .some(let range):
            headers["Content-Type"] = mediaType
            headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
            self.init(status: 206, headers: headers, range: range)
        }
    }

    /// Weak comparison with a list of tags, or with `*` for any file. The tag of a file has no comma.
    private static func matches(_ list: String, _ tag: String?) -> Bool {
        if list.trimmed == "*" { return true }
        guard let tag else { return false }
        if list == tag { return true }
        return list.split(separator: ",").contains { [tag, "W/" + tag].contains(String($0).trimmed) }
    }
}

/// One range of a `Range` header (RFC 9110, section 14.1.2).
private enum ByteRange {
    case from(Int, through: Int?)
    case last(Int)

    /// Nil for a missing or malformed header, another unit, and several ranges.
    init?(_ header: String?) {
        guard let parts = header?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false),
            parts.count == 2, String(parts[0]).trimmed.lowercased() == "bytes"
        else { return nil }
        let ends = String(parts[1]).trimmed.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (Self.number(ends[0]), Self.number(ends[1])) {
        case (let first?, let last?) where first <= last: self = .from(first, through: last)
        case (let first?, nil) where ends[1].isEmpty: self = .from(first, through: nil)
        case (nil, let count?) where ends[0].isEmpty: self = .last(count)
        default: return nil
        }
    }

    /// Nil for anything but digits. Numbers beyond the largest one count as that.
    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text) ?? .max
    }

    /// Empty if the file has none of the bytes.
    func bytes(of count: Int) -> Range<Int> {
        switch self {
        case .from(let first, let last):
            first < count ? first..<(last.map { min($0, count - 1) + 1 } ?? count) : 0..<0
        case .last(let length): max(count - length, 0)..<count
        }
    }
}

extension String {
    /// Without the white space that HTTP allows around values.
    fileprivate var trimmed: String {
        let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        let rest = utf8.drop(while: isSpace)
        guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(Substring(rest[...last]))
    }
}
