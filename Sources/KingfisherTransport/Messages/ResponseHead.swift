import Foundation

/// Collects the header lines of one response as they come off the wire.
///
/// A status line begins a new head, so that an interim response leaves nothing behind; the bytes of all of them
/// count against the limit.
struct ResponseHead {
    enum Step: Equatable {
        case incomplete
        /// A final status line and its fields are complete.
        case complete(status: Int)
        case tooLarge
        case malformed
    }

    let limit: Int
    private var totalBytes = 0
    private var status: StatusLine?
    /// The final response's fields, once it is complete.
    private(set) var fields = HeaderFields()
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
                fields.removeAll()
                status = StatusLine(line)
            } else {
                fields.append(line)
            }
            return .incomplete
        }
        guard let status else { return .malformed }
        if (100..<200).contains(status.code) { return .incomplete }
        guard fields.contentLength != .unusable else { return .malformed }
        isComplete = true
        return .complete(status: status.code)
    }

    /// The response for `url`, or `nil` before a valid head is complete.
    func response(url: URL) -> TransportResponse? {
        guard isComplete, let status else { return nil }
        return TransportResponse(url: url, status: status.code, version: status.version, fields: fields)
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
