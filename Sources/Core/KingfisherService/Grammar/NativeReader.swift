/// Reads URLs in the grammar of this service.
struct NativeReader: Sendable {
    private let settings: ServiceSettings
    private let signer: NativeSigner
    private let presets: [String: [ServiceSegment]]

    init(_ settings: ServiceSettings) throws(ServiceSettingsError) {
        self.settings = settings
        signer = NativeSigner(settings.signing)
        presets = try PresetTable.parsed(settings)
    }

    /// The request of a path below the prefix, without the slash after that, as received. `offset` is its
    /// offset in the whole path.
    func request(_ path: Substring, offset: Int, now: Int) throws(ServiceError) -> ServiceRequest {
        guard let signed = SignedPath(path), let verified = signed.verified(by: signer) else {
            throw .invalidSignature
        }
        let start = offset + path.utf8.distance(from: path.startIndex, to: signed.rest.startIndex)
        let parser = NativeParser(verified, from: start, signed.kind, settings, presets)
        let request = try parser.request()
        if let expires = request.options.expires, now > expires {
            throw ServiceError(410, "The URL has expired.")
        }
        return request
    }
}
