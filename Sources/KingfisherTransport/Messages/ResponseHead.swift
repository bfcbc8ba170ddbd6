import Foundation
import FoundationNetworking

/// Collects the header lines of one response as they come off the wire.
///
/// A status line begins a new head, so that an interim response leaves nothing behind; the bytes of all of them
/// count against the limit. Fields are parsed when the final response is complete.
struct ResponseHead {
    enum Step: Equatable {
        case incomplete
        /// A final status line and its fields are complete.
        case complete(status: Int)
        case tooLarge
        case malformed
    }

    let limit: Int
    private var bytes: [UInt8] = []
    private var totalBytes = 0
    private var status: StatusLine?
    /// The final response's fields, once it is complete.
    ///
    /// Repeated fields are joined by commas (RFC 9110, 5.3), folded lines by a space (RFC 9112, 5.2). What says
    /// nothing about the length is not passed on: a `Content-Length` beside a `Transfer-Encoding`, and repetitions of
    /// the same one (RFC 9112, 6.3).
    private(set) var fields: [String: String] = [:]
    private var isComplete = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes one line with its line ending, as libcurl hands it over.
    mutating func append(_ line: UnsafeRawBufferPointer) -> Step {
        totalBytes += line.count
        guard totalBytes <= limit else { return .tooLarge }
        // Trailers of a chunked body arrive here too. They come too late for the head.
        if isComplete { return .incomplete }
        guard line.allSatisfy({ $0 == 13 || $0 == 10 }) else {
            if line.starts(with: "HTTP/".utf8) {
                bytes.removeAll(keepingCapacity: true)
                status = StatusLine(line)
            } else {
                bytes.append(contentsOf: line)
            }
            return .incomplete
        }
        guard let status else { return .malformed }
        if (100..<200).contains(status.code) { return .incomplete }
        let parsed = HeaderFields(bytes)
        guard parsed.hasUsableLength else { return .malformed }
        fields = parsed.byName
        isComplete = true
        return .complete(status: status.code)
    }

    /// The response for `url`, or `nil` before a valid head is complete.
    func response(url: URL) -> HTTPURLResponse? {
        guard isComplete, let status else { return nil }
        return HTTPURLResponse(
            url: url, statusCode: status.code, httpVersion: status.version, headerFields: fields)
    }
}

/// "HTTP/1.1 200 OK" or "HTTP/2 200": a version, then exactly three digits.
private struct StatusLine {
    let version: String
    let code: Int

    init?(_ line: UnsafeRawBufferPointer) {
        let parts = line.split(maxSplits: 2) { $0 == 32 || $0 == 13 || $0 == 10 }
        guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8), parts[1].count == 3,
            let code = Int(String(decoding: parts[1], as: UTF8.self)), (100...999).contains(code)
        else { return nil }
        version = String(decoding: parts[0], as: UTF8.self)
        self.code = code
    }
}

/// The fields of one head, parsed in one pass.
private struct HeaderFields {
    private(set) var byName: [String: String] = [:]
    /// The spelling that a name came with first, by the name in lower case.
    private var spelling: [String: String] = [:]

    /// Whether the length is one that can be trusted to end the body: otherwise nobody can tell a whole body from a
    /// part (RFC 9112, 6.3), and libcurl takes too large a number for none.
    private(set) var hasUsableLength = true

    init(_ bytes: [UInt8]) {
        // As many as most servers send, so that the tables need not grow.
        byName.reserveCapacity(16)
        spelling.reserveCapacity(16)
        bytes.withUnsafeBufferPointer { bytes in
            var last: String?
            var rest = bytes[...]
            while let start = rest.firstIndex(where: { $0 != 13 && $0 != 10 }) {
                let end = rest[start...].firstIndex { $0 == 13 || $0 == 10 } ?? rest.endIndex
                last = add(bytes[start..<end], after: last)
                rest = rest[end...]
            }
        }
        settleLength()
    }

    /// Takes one line; returns the name of the field it belongs to.
    private mutating func add(_ line: Slice<UnsafeBufferPointer<UInt8>>, after last: String?) -> String? {
        if line.first == 32 || line.first == 9 {
            if let last { byName[last, default: ""] += " " + Self.text(line) }
            return last
        }
        guard let colon = line.firstIndex(of: 58) else { return last }
        let name = Self.text(line[line.startIndex..<colon])
        guard !name.isEmpty else { return last }
        let value = Self.text(line[(colon + 1)...])
        let lowercased = name.lowercased()
        if let known = spelling[lowercased] {
            byName[known] = byName[known].map { $0 + ", " + value } ?? value
            return known
        }
        spelling[lowercased] = name
        byName[name] = value
        return name
    }

    private mutating func settleLength() {
        guard let name = spelling["content-length"], let value = byName[name] else { return }
        guard spelling["transfer-encoding"] == nil else {
            byName[name] = nil
            return
        }
        // Different lengths stay visible, joined, as what they are: none.
        let values = Set(value.utf8.split(separator: 44).map(Self.trimmed))
        guard values.count == 1, let length = values.first, Self.isLength(length) else {
            hasUsableLength = false
            return
        }
        byName[name] = length
    }

    private static func isLength(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) } && Int64(text) != nil
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 32 || $0 == 9 }
        return String(
            decoding: text.drop(while: isSpace).reversed().drop(while: isSpace).reversed(), as: UTF8.self)
    }

    /// The trimmed text of a field: UTF-8 where it is that, else Latin-1, in which every byte is a character.
    private static func text(_ raw: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        var (start, end) = (raw.startIndex, raw.endIndex)
        while start < end, raw[start] == 32 || raw[start] == 9 { start += 1 }
        while end > start, raw[end - 1] == 32 || raw[end - 1] == 9 { end -= 1 }
        let bytes = UnsafeBufferPointer(rebasing: raw[start..<end])
        return String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
