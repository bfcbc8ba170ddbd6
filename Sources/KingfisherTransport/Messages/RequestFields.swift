import Foundation
import FoundationNetworking

/// The header lines to give libcurl for a request, checked so that no value can smuggle in another line.
struct RequestFields: Equatable {
    let lines: [String]

    init(_ request: URLRequest) throws(TransportError) {
        var lines: [String] = []
        let hasBody = request.httpBody != nil
        var hasContentType = false
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard Self.isToken(name) else {
                throw .invalidRequest("header field name \(name.debugDescription)")
            }
            guard !value.utf8.contains(where: { $0 == 13 || $0 == 10 || $0 == 0 }) else {
                throw .invalidRequest("the value of \(name) holds a line break")
            }
            switch name.lowercased() {
            case "content-length": continue  // libcurl counts the body itself
            case "content-type": hasContentType = true
            default: break
            }
            // A semicolon is libcurl's spelling of a field without value; a colon would remove the field.
            lines.append(value.allSatisfy(\.isWhitespace) ? "\(name);" : "\(name): \(value)")
        }
        if hasBody {
            // Without this libcurl waits for a "100 Continue" before a body that is not small.
            if !lines.contains(where: { $0.lowercased().hasPrefix("expect:") }) { lines.append("Expect:") }
            // And it would call any body a web form.
            if !hasContentType { lines.append("Content-Type:") }
        }
        self.lines = lines
    }

    /// Whether text is a token of RFC 9110, 5.6.2, as methods and field names must be.
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
