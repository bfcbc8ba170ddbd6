/// Why a request is refused: a status of HTTP and one line of text.
public struct ServiceError: Error, Hashable, Sendable {
    /// The status of the response.
    public let status: Int
    /// A sentence for the client: no address, no path of a file, no signature.
    public let message: String
    /// The offset in the path, in bytes, of the character that is wrong; nil if there is no such character.
    public let offset: Int?
    /// What the message does not tell a client, for logs and for development; nil if it tells all.
    public let cause: String?

    /// Creates an error, by default of a malformed URL.
    public init(_ status: Int = 400, _ message: String, at offset: Int? = nil, cause: String? = nil) {
        self.status = status
        self.message = message
        self.offset = offset
        self.cause = cause
    }

    // Clients cannot tell an invalid signature from a source that is not allowed.
    /// The error for a missing or invalid signature.
    public static let invalidSignature = ServiceError(
        403, "Forbidden.", cause: "The signature is missing, or of another key or path.")
    /// The error for a source that the settings do not allow.
    public static let sourceNotAllowed = ServiceError(
        403, "Forbidden.", cause: "The settings do not allow the source.")

    /// The error with an offset, unless it has one or must not show it.
    func located(at offset: Int) -> ServiceError {
        self.offset == nil && status != 403 ? ServiceError(status, message, at: offset) : self
    }

    /// Text of a client for a message: printable ASCII in one line, and not long.
    static func quoted(_ text: some StringProtocol, limit: Int = 64) -> String {
        var quoted = text.unicodeScalars.prefix(limit).reduce(into: "") { quoted, scalar in
            quoted.append((0x20...0x7E).contains(scalar.value) ? Character(scalar) : "?")
        }
        if text.unicodeScalars.dropFirst(limit).first != nil { quoted += "..." }
        return quoted
    }
}
