package import FoundationNetworking

extension HTTPURLResponse {
    /// The length of the decoded body in bytes as the head announces it, or `nil` where it says nothing reliable:
    /// no `Content-Length`, or one that counts compressed bytes.
    ///
    /// It is the server's word only: clamp it before memory is reserved by it.
    package var announcedBodyBytes: Int? {
        if let encoding = value(forHTTPHeaderField: "Content-Encoding"), encoding.lowercased() != "identity" {
            return nil
        }
        guard let text = value(forHTTPHeaderField: "Content-Length"),
            text.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(text)
        else { return nil }
        return length
    }
}
