import Foundation
import FoundationNetworking

/// The fields that a request has unless it names its own.
///
/// They are header lines and not options of libcurl, which formats a field of an option twice, at a hundred
/// instructions for each character.
struct StandardFields {
    let lines: [String]
    private let named: [(name: String, line: String)]

    init(userAgent: String?) {
        // The encodings of ContentDecoder.
        named =
            [("accept-encoding", "Accept-Encoding: gzip, deflate")]
            + (userAgent.map { [("user-agent", "User-Agent: \($0)")] } ?? [])
        lines = named.map(\.line)
    }

    func lines(except names: Set<String>) -> [String] {
        named.filter { !names.contains($0.name) }.map(\.line)
    }
}

/// The header lines of a request for libcurl, validated against header injection.
struct RequestFields: Equatable {
    let lines: [String]

    init(_ request: URLRequest, _ standard: StandardFields) throws(TransportError) {
        let fields = request.allHTTPHeaderFields ?? [:]
        let hasBody = request.httpBody != nil
        guard hasBody || !fields.isEmpty else {
            lines = standard.lines
            return
        }
        var lines: [String] = []
        var names: Set<String> = []
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            guard Self.isToken(name) else {
                throw .invalidRequest("invalid header field name \(name.debugDescription)")
            }
            guard !value.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) else {
                throw .invalidRequest("the value of \(name) contains a line break")
            }
            names.insert(name.lowercased())
            if name.lowercased() == "content-length" { continue }  // libcurl counts the body itself
            // libcurl sends a field without a value for "name;" and removes the field for "name:".
            lines.append(value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)")
        }
        if hasBody {
            // Without this, libcurl waits for a "100 Continue" before it sends a large body.
            if !names.contains("expect") { lines.append("Expect:") }
            // Without this, libcurl would declare the body as a web form.
            if !names.contains("content-type") { lines.append("Content-Type:") }
        }
        self.lines = lines + standard.lines(except: names)
    }

    /// Whether the text is a token (RFC 9110, 5.6.2), as required for methods and field names.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
