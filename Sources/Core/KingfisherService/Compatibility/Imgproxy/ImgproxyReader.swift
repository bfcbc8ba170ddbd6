/// Reads URLs of imgproxy (imgproxy documentation 752e7bb, usage/processing).
///
/// The order: signature, path, the preset `default`, options, expiry, steps, source. A malformed or expired
/// URL is 404, an option that has no equivalent 400 with its name.
struct ImgproxyReader {
    private let settings: ServiceSettings

    init(_ settings: ServiceSettings) { self.settings = settings }

    /// The request of a path below the prefix, without the slash after that, as received.
    func request(_ path: Substring, now: Int) throws(ServiceError) -> ServiceRequest {
        guard let imgproxy = settings.imgproxy else { throw ServiceError(404, "Not found.") }
        guard let (signature, rest) = path.divided(at: "/") else { throw ImgproxyPath.sourceMissing }
        guard signature != "info" else { throw .unsupported("info", "it is a part of imgproxy Pro") }

        let verified = try ImgproxySignature(imgproxy, signing: settings.signing).verified(signature, rest)
        let parts = try ImgproxyPath(verified, usesOnlyPresets: imgproxy.usesOnlyPresets)

        var interpreter = ImgproxyInterpreter(imgproxy.presets, smartCrop: settings.smartCrop)
        try interpreter.apply(parts)
        let options = interpreter.options
        if let expires = options.output.expires, now > expires {
            throw ServiceError(404, "The URL has expired.")
        }

        var pipeline = ImgproxyPipeline(
            options, watermark: imgproxy.watermark, steps: CompatibleSteps(settings))
        let request = ServiceRequest(
            steps: try pipeline.run(), options: options.completedOutput,
            source: try settings.sources.source(named: parts.source),
            isNegotiable: settings.negotiatesCompatibleURLs)
        try request.checkCount()
        return request
    }
}
