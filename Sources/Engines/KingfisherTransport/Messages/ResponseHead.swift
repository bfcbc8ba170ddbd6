import Foundation

/// Collects the header lines of one response.
///
/// A status line starts a new head and discards the preceding interim response. The bytes of all heads count
/// towards the limit.
struct ResponseHead {
    enum Step: Equatable {
        case incomplete
        case complete(status: Int)
        case tooLarge
        case malformed
        case switchesProtocols
    }

    let limit: Int
    private var totalBytes = 0
    private var status: StatusLine?
    /// The lines of the current head, until it is complete.
    private var block: [UInt8] = []
    private(set) var fields = HeaderFields()
    private var isComplete = false

    init(limit: Int) {
        self.limit = limit
    }

    /// Whether no line has arrived.
    var isEmpty: Bool { totalBytes == 0 }

    mutating func append(_ line: UnsafeRawBufferPointer) -> Step {
        totalBytes += line.count
        guard totalBytes <= limit else { return .tooLarge }
        // Trailers of a chunked body also arrive here, after the head was delivered.
        if isComplete { return .incomplete }
        guard line.allSatisfy({ $0 == 13 || $0 == 10 }) else {
            if StatusLine.begins(line) {
                block.removeAll(keepingCapacity: true)
                block.reserveCapacity(1 << 10)  // enough for most heads
                status = StatusLine(line)
            } else {
                block.append(contentsOf: line)
                if line.last != 10 { block.append(10) }
            }
            return .incomplete
        }
        guard let status else { return .malformed }
        if status.code == 101 { return .switchesProtocols }
        if (100..<200).contains(status.code) { return .incomplete }
        fields = HeaderFields(block)
        block = []
        guard fields.contentLength != .unusable else { return .malformed }
        isComplete = true
        return .complete(status: status.code)
    }

    func response(
        url: URL, requestTime: ContinuousClock.Instant?, at time: ContinuousClock.Instant
    ) -> TransportResponse? {
        guard isComplete, let status else { return nil }
        return TransportResponse(
            url: url, status: status.code, version: status.version, fields: fields,
            requestTime: requestTime, responseTime: time)
    }
}

/// "HTTP/1.1 200 OK" or "HTTP/2 200": a version and exactly three digits.
private struct StatusLine {
    let version: String
    let code: Int

    static func begins(_ line: UnsafeRawBufferPointer) -> Bool { line.begins(with: "HTTP/") }

    init?(_ line: UnsafeRawBufferPointer) {
        let isEnd = { (byte: UInt8) in byte == 32 || byte == 13 || byte == 10 }
        guard Self.begins(line), let versionEnd = line.firstIndex(where: isEnd),
            let start = line[versionEnd...].firstIndex(where: { !isEnd($0) })
        else { return nil }
        let end = line[start...].firstIndex(where: isEnd) ?? line.endIndex
        guard end - start == 3, line[start] != 48, line[start..<end].allSatisfy({ (48...57).contains($0) })
        else { return nil }
        version = String(decoding: line[..<versionEnd], as: UTF8.self)
        code = line[start..<end].reduce(0) { $0 * 10 + Int($1 - 48) }
    }
}

extension UnsafeRawBufferPointer {
    func begins(with text: StaticString) -> Bool {
        guard let start = baseAddress, count >= text.utf8CodeUnitCount else { return false }
        return memcmp(start, text.utf8Start, text.utf8CodeUnitCount) == 0
    }
}
