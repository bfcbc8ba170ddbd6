import Dispatch
public import Foundation
import KingfisherDigests
import KingfisherTransport

/// An image in a `data:` URL, read by the rules of browsers (Fetch Standard, "data: URLs").
///
/// The media type is ignored, because the format is detected from the bytes. The text ends at a `#`, a
/// percent sign without two hexadecimal digits is itself, and base64 may contain white space and omit its
/// padding. `URL(string:)` changes escapes beside characters that a URL cannot contain; `URL(webText:)` does
/// not.
public struct DataURLImageDataProvider: ImageDataProvider, Hashable {
    /// A longer URL is not its key.
    static let maximumKeyBytes = 1 << 10

    /// The text of the URL.
    public let text: String
    public var cacheKey: String
    /// The most bytes of the image.
    fileprivate var maximumBytes = Int.max
    /// The URL of the resource from which it was created, which may be any; nil if a program made it.
    fileprivate var resource: URL?

    /// Creates a provider of the image in `text`.
    ///
    /// The key defaults to the text, if it has at most 1 KiB; otherwise to `data:` and the SHA-256 digest of
    /// the text.
    public init(_ text: String, cacheKey: String? = nil) {
        self.text = text
        self.cacheKey = cacheKey ?? Self.key(of: text)
    }

    /// Creates a provider of the image in `url`, with the same key as ``init(_:cacheKey:)``.
    public init(url: URL, cacheKey: String? = nil) {
        self.init(url.absoluteString, cacheKey: cacheKey)
    }

    init(resource url: URL, cacheKey: String) {
        self.init(url: url, cacheKey: cacheKey)
        resource = url
    }

    /// Decodes the image's bytes on a background thread. Fails with `CocoaError(.coderInvalidValue)` if the
    /// text is malformed.
    public func data(handler: @Sendable @escaping (Result<Data, any Error>) -> Void) {
        DispatchQueue.global(qos: .userInitiated).async { handler(Result { try decoded() }) }
    }

    /// Decodes the image's bytes on this thread. Throws `CocoaError(.coderInvalidValue)` if the text is
    /// malformed.
    public func decoded() throws -> Data {
        guard let bytes = DataURL.bytes(of: text) else { throw CocoaError(.coderInvalidValue) }
        guard bytes.count <= maximumBytes else { throw TransportError.bodyTooLarge(limit: maximumBytes) }
        return bytes
    }

    static func key(of text: String) -> String {
        text.utf8.count <= maximumKeyBytes ? text : "data:\(SHA256.hexDigest(of: text))"
    }
}

extension Source {
    /// The source to load. If file URLs are not read, a resource with a file or data URL is treated as a
    /// download. The image of a data URL has at most `maxBodyBytes`, as the body of a download has.
    func loaded(readingFileURLs readsFileURLs: Bool, maxBodyBytes: Int) -> Source {
        guard case .provider(let provider) = self else { return self }
        if let file = provider as? LocalFileImageDataProvider, file.isFromResource, !readsFileURLs {
            return .network(KF.ImageResource(downloadURL: file.fileURL, cacheKey: file.cacheKey))
        }
        guard var data = provider as? DataURLImageDataProvider, let url = data.resource else { return self }
        if !readsFileURLs { return .network(KF.ImageResource(downloadURL: url, cacheKey: data.cacheKey)) }
        data.maximumBytes = maxBodyBytes
        return .provider(data)
    }
}

/// Reads the text of a `data:` URL.
private enum DataURL {
    static func bytes(of text: String) -> Data? {
        let scheme = "data:".utf8
        var body = text.utf8.filter { ![0x09, 0x0A, 0x0D].contains($0) }.prefix { $0 != UInt8(ascii: "#") }
        guard body.prefix(scheme.count).elementsEqual(scheme, by: { $0 | 0x20 == $1 | 0x20 }) else {
            return nil
        }
        body = body.dropFirst(scheme.count)
        guard let comma = body.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let payload = body[(comma + 1)...].percentDecoded
        return isBase64(body[..<comma]) ? base64Decoded(payload) : Data(payload)
    }

    /// Whether the head ends with a semicolon, any number of spaces, and `base64`. Foundation's URLs have
    /// spaces as `%20`.
    private static func isBase64(_ head: ArraySlice<UInt8>) -> Bool {
        let head = String(decoding: head.percentDecoded, as: UTF8.self)
        let parts = head.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last else { return false }
        return last.trimmingCharacters(in: CharacterSet(charactersIn: " ")).lowercased() == "base64"
    }

    /// The forgiving decoder of browsers (Infra Standard, "forgiving-base64 decode").
    private static func base64Decoded(_ text: [UInt8]) -> Data? {
        let padding = UInt8(ascii: "=")
        var digits = text.filter { ![0x20, 0x09, 0x0A, 0x0C, 0x0D].contains($0) }
        if digits.count % 4 == 0, digits.last == padding {
            digits.removeLast()
            if digits.last == padding { digits.removeLast() }
        }
        guard digits.count % 4 != 1, !digits.contains(padding) else { return nil }
        digits.append(contentsOf: repeatElement(padding, count: (4 - digits.count % 4) % 4))
        return Data(base64Encoded: Data(digits))
    }
}
