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
        if line.starts(with: "HTTP/".utf8) { bytes.removeAll(keepingCapacity: true) }
        if line.allSatisfy({ $0 == 13 || $0 == 10 }) {
            guard let status = statusLine?.code else { return .malformed }
            if (100..<200).contains(status) { return .incomplete }
            guard hasUsableLength else { return .malformed }
            isComplete = true
            return .complete(status: status)
        }
        bytes.append(contentsOf: line)
        return .incomplete
    }

    /// The response for `url`, or `nil` when there is no valid status line.
    func response(url: URL) -> HTTPURLResponse? {
        guard let status = statusLine else { return nil }
        return HTTPURLResponse(
            url: url, statusCode: status.code, httpVersion: status.version, headerFields: fields)
    }

    private var lines: [ArraySlice<UInt8>] {
        bytes.split { $0 == 13 || $0 == 10 }
    }

    /// "HTTP/1.1 200 OK" or "HTTP/2 200": a version, then exactly three digits.
    private var statusLine: (version: String, code: Int)? {
        guard let line = lines.first else { return nil }
        let parts = line.split(separator: 32, maxSplits: 2)
        guard parts.count >= 2, parts[0].starts(with: "HTTP/".utf8), parts[1].count == 3,
            let code = Int(String(decoding: parts[1], as: UTF8.self)), (100...999).contains(code)
        else { return nil }
        return (String(decoding: parts[0], as: UTF8.self), code)
    }

    /// Field values by name. Repeated fields are joined by commas (RFC 9110, 5.3), folded lines by a space (RFC
    /// 9112, 5.2). What says nothing about the length is not passed on: a `Content-Length` beside a
    /// `Transfer-Encoding`, and repetitions of the same one (RFC 9112, 6.3).
    var fields: [String: String] {
        var fields: [String: String] = [:]
        var spelling: [String: String] = [:]
        var last: String?
        for line in lines.dropFirst() {
            if let first = line.first, first == 32 || first == 9 {
                if let last { fields[last, default: ""] += " " + Self.text(line) }
                continue
            }
            guard let colon = line.firstIndex(of: 58) else { continue }
            let name = Self.text(line[..<colon])
            let value = Self.text(line[(colon + 1)...])
            guard !name.isEmpty else { continue }
            let key = spelling[name.lowercased()] ?? name
            spelling[name.lowercased()] = key
            fields[key] = fields[key].map { $0 + ", " + value } ?? value
            last = key
        }
        if let key = spelling["content-length"], let value = fields[key] {
            fields[key] = spelling["transfer-encoding"] == nil ? Self.lengths(value).first : nil
        }
        return fields
    }

    /// Whether the length is one that can be trusted to end the body: otherwise nobody can tell a whole body from a
    /// part (RFC 9112, 6.3), and libcurl takes too large a number for none.
    private var hasUsableLength: Bool {
        guard let value = fields.first(where: { $0.key.lowercased() == "content-length" })?.value else {
            return true
        }
        return !value.isEmpty && value.utf8.allSatisfy { (48...57).contains($0) } && Int64(value) != nil
    }

    /// The different values of a `Content-Length`; more than one stays visible, joined, as what it is: no length.
    private static func lengths(_ value: String) -> [String] {
        let values = Set(value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
        return values.count == 1 ? Array(values) : [value]
    }

    /// The trimmed text of a field: UTF-8 where it is that, else Latin-1, in which every byte is a character.
    private static func text(_ raw: ArraySlice<UInt8>) -> String {
        let isSpace: (UInt8) -> Bool = { $0 == 32 || $0 == 9 }
        let front = raw.drop(while: isSpace)
        let end = front.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? front.startIndex
        let trimmed = front[front.startIndex..<end]
        return String(validating: trimmed, as: UTF8.self)
            ?? String(String.UnicodeScalarView(trimmed.map { Unicode.Scalar($0) }))
    }
}
