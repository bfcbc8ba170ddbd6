/// Reads and signs the URLs of an image service.
public struct ServiceURLs: Sendable {
    /// The most bytes of a path.
    static let maximumLength = 8_192

    private let settings: ServiceSettings
    private let signer: NativeSigner
    private let native: NativeReader
    private let imgproxy: ImgproxyReader?
    private let thumbor: ThumborReader?
    private let routes: [ServiceRoute]

    /// Throws if a setting is malformed, or if settings contradict each other.
    public init(_ settings: ServiceSettings) throws(ServiceSettingsError) {
        try settings.check()
        self.settings = settings
        signer = NativeSigner(settings.signing)
        native = try NativeReader(settings)
        imgproxy = settings.imgproxy == nil ? nil : ImgproxyReader(settings)
        thumbor = settings.thumbor == nil ? nil : ThumborReader(settings)
        routes = ServiceRoute.all(settings)
    }

    /// The request of a URL, if its signature is valid and it has not expired.
    ///
    /// `path` is the path as received, not decoded, `query` the text after `?`, and `now` the time in seconds
    /// since 1970. `ServiceError.offset` counts the bytes of `path`.
    public func request(path: String, query: String? = nil, now: Int) throws(ServiceError) -> ServiceRequest {
        guard path.utf8.count <= Self.maximumLength else {
            throw ServiceError(414, "The path has more than \(Self.maximumLength) bytes.")
        }
        guard ByteText.hasPrefix(path, "/"), !ByteText.hasPrefix(path, "//") else {
            throw ServiceError(400, "The path starts with one slash.", at: 0)
        }
        guard let (route, rest) = ServiceRoute.match(routes, path) else {
            throw ServiceError(404, "Not found.")
        }
        switch route.reader {
        case .imgproxy:
            if let imgproxy { return try imgproxy.request(rest, now: now) }
        case .thumbor:
            if let thumbor { return try thumbor.request(rest, now: now) }
        case .native:
            // The signature does not cover a query.
            if query != nil { throw ServiceError(400, "Write ? as %3F.", at: path.utf8.count) }
            return try native.request(rest, offset: path.utf8.count - rest.utf8.count, now: now)
        }
        throw ServiceError(404, "Not found.")
    }

    /// The canonical path of a request, below the prefix and without a signature.
    ///
    /// The path of a request that was read is read as the same request, and unequal requests have unequal
    /// paths. It may be longer than a path that is accepted. It cannot say that a request of another service
    /// does not negotiate its format.
    public func path(for request: ServiceRequest) -> String { NativeWriter.path(for: request) }

    /// The canonical path of a request with prefix and signature, to append to an origin.
    public func signedPath(for request: ServiceRequest) throws(ServiceError) -> String {
        try sign(path: path(for: request))
    }

    /// The same as ``sign(path:)``, for a path that can be read.
    ///
    /// Otherwise throws the error, with its offset in `path`.
    ///
    /// - Parameter now: In seconds since 1970, for paths that expire.
    public func signReadable(path: String, now: Int) throws(ServiceError) -> String {
        let signed = try sign(path: path)
        do {
            _ = try request(path: signed, now: now)
        } catch {
            if let cause = error.cause { throw ServiceError(error.status, cause) }
            let added = signed.utf8.count - path.utf8.count
            throw ServiceError(error.status, error.message, at: error.offset.map { $0 - added })
        }
        return signed
    }

    /// A path with prefix and signature, to append to an origin; for information, the signature is after
    /// `/info`.
    ///
    /// `path` is below the prefix, and percent-encoded as it will be sent. Its steps are not parsed. Throws
    /// status 400 for characters that clients do not send, and 414 if the result is too long.
    public func sign(path: String) throws(ServiceError) -> String {
        let illegal = path.utf8.firstIndex {
            !URLBytes.isPathByte($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "%")
        }
        guard ByteText.hasPrefix(path, "/"), illegal == nil else {
            let offset = path.utf8.distance(from: path.startIndex, to: illegal ?? path.startIndex)
            throw ServiceError(400, "The path starts with a slash, and is percent-encoded.", at: offset)
        }
        guard let signature = signer.signature(of: path) else { throw ServiceError(500, "Signing failed.") }
        let isInformation = ByteText.hasPrefix(path, "/\(SignedPath.information)/")
        let head = isInformation ? "/" + SignedPath.information : ""
        let rest = Substring(path.utf8.dropFirst(head.utf8.count))
        let prefix = settings.nativePrefix == "/" ? "" : settings.nativePrefix
        let signed = "\(prefix)\(head)/\(signature)\(rest)"
        guard signed.utf8.count <= Self.maximumLength else {
            throw ServiceError(414, "The path has more than \(Self.maximumLength) bytes.")
        }
        return signed
    }
}
