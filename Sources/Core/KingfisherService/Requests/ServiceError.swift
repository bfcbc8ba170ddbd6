/// Why a request is refused: a status of HTTP and one line of text.
public struct ServiceError: Error, Hashable, Sendable {
    /// The status of the response.
    public let status: Int
    /// A sentence for the client: no address, no path of a file, no signature.
    public let message: String
    /// The offset in the path, in bytes, of the character that is wrong; nil if there is no such character.
    public let offset: Int?

    public init(_ status: Int = 400, _ message: String, at offset: Int? = nil) {
        self.status = status
        self.message = message
        self.offset = offset
    }
}
