package import FoundationNetworking

extension HTTPURLResponse {
    /// The length of the decoded body in bytes as the head announces it, or `nil` where it says nothing reliable:
    /// no `Content-Length`, or one that counts compressed bytes.
    ///
    /// It is the server's word only: clamp it before memory is reserved by it.
    package var announcedBodyBytes: Int? {
        // What Foundation has parsed costs nothing to ask; looking at a field copies all of them.
        guard expectedContentLength >= 0, let length = Int(exactly: expectedContentLength) else { return nil }
        if let encoding = value(forHTTPHeaderField: "Content-Encoding"), encoding.lowercased() != "identity" {
            return nil
        }
        return length
    }
}
