/// A response of the service without its bytes.
public struct ServiceResponse: Hashable, Sendable {
    /// A header field.
    public struct Field: Hashable, Sendable {
        /// The name in its usual case.
        public let name: String
        /// The value in printable ASCII.
        public let value: String
    }

    /// What follows the header.
    public enum Body: Hashable, Sendable {
        /// No body, and no `Content-Length`: status 304.
        case none
        /// A range of the result's bytes. A response to HEAD has their length only.
        case bytes(Range<Int>)
        /// A line of text with its line feed. A response to HEAD has its length only.
        case text(String)
    }

    /// The status code.
    public let status: Int
    /// In a fixed order; no name occurs twice. Without `Content-Length` and `Date`, which servers add.
    public let fields: [Field]
    /// What follows the header.
    public let body: Body

    /// The value of a field, by its name in the case of ``fields``.
    public func value(of name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The length of the body in bytes, for `Content-Length`; nil without a body.
    public var contentLength: Int? {
        switch body {
        case .none: nil
        case .bytes(let range): range.count
        case .text(let text): text.utf8.count
        }
    }
}

/// Collects header fields in the order in which they are added.
struct ResponseFields {
    private(set) var fields: [ServiceResponse.Field] = []

    /// Omits a missing value, and one that is not printable ASCII, so that no value can add a field.
    mutating func add(_ name: String, _ value: String?) {
        guard let value, HeaderText.isValue(value) else { return }
        fields.append(.init(name: name, value: value))
    }
}
