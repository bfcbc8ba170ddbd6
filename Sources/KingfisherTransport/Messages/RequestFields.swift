import Foundation
import FoundationNetworking

/// The header lines of a request for libcurl, validated against header injection.
struct RequestFields: Equatable {
    let lines: [String]

    init(_ request: URLRequest) throws(TransportError) {
        var lines: [String] = []
        let hasBody = request.httpBody != nil
        var hasContentType = false
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard Self.isToken(name) else {
                throw .invalidRequest("invalid header field name \(name.debugDescription)")
            }
            guard !value.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) else {
                throw .invalidRequest("the value of \(name) contains a line break")
            }
            switch name.lowercased() {
            case "content-length": continue  // libcurl counts the body itself
            case "content-type": hasContentType = true
            default: break
            }
            // libcurl sends a field without a value for "name;" and removes the field for "name:".
            lines.append(value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)")
        }
        if hasBody {
            // Without this, libcurl waits for a "100 Continue" before it sends a large body.
            if !lines.contains(where: { $0.lowercased().hasPrefix("expect:") }) { lines.append("Expect:") }
            // Without this, libcurl would declare the body as a web form.
            if !hasContentType { lines.append("Content-Type:") }
        }
        self.lines = lines
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
