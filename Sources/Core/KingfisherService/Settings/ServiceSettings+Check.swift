extension ServiceSettings {
    /// Throws for the first setting with which the service must not start; presets are checked where they are
    /// parsed.
    func check() throws(ServiceSettingsError) {
        try checkRoutes()
        try checkNames()
        try checkSources()
        try imgproxy?.check(watermarks, signing)
        try thumbor?.check()
        if case .keys(let keys) = signing, !(1...4).contains(keys.count) {
            throw ServiceSettingsError("signing-keys-file", "There are 1 to 4 keys.")
        }
        guard (1...32_768).contains(maximumResultSide) else {
            throw ServiceSettingsError("max-result-side", "The side is 1 to 32768.")
        }
        guard (1...100_000_000).contains(maximumResultPixels) else {
            throw ServiceSettingsError("max-result-pixels", "The pixels are 1 to 100 million.")
        }
    }

    private func checkRoutes() throws(ServiceSettingsError) {
        let routes = ServiceRoute.all(self)
        for route in routes {
            guard route.isWellFormed else {
                throw ServiceSettingsError(
                    route.setting, "A prefix is / or segments of A-Z, a-z, 0-9 and -._~, such as /images.")
            }
            guard routes.filter({ $0.prefix == route.prefix }).count == 1 else {
                throw ServiceSettingsError(route.setting, "Two readers have the same prefix.")
            }
            if let native = routes.first(where: { $0.reader == .native }), route.hides(native) {
                throw ServiceSettingsError(route.setting, "The native reader has this path.")
            }
        }
    }

    private func checkNames() throws(ServiceSettingsError) {
        for (setting, names) in [("watermark", watermarks), ("fallback", fallbacks)] {
            if let name = names.sorted().first(where: { !NameText.isValid($0) }) {
                throw ServiceSettingsError(
                    "\(setting).\(ServiceError.quoted(name))",
                    "A name is 1 to 64 of A-Z, a-z, 0-9, '.', '_' and '-'.")
            }
        }
    }

    private func checkSources() throws(ServiceSettingsError) {
        for entry in sources.allowed ?? [] {
            do {
                _ = try AllowedOrigin(entry)
            } catch {
                throw ServiceSettingsError(
                    "allowed-sources", "'\(ServiceError.quoted(entry))': \(error.message)")
            }
        }
        if let bucket = sources.buckets.sorted().first(where: { !ServiceSourceRules.isBucket($0) }) {
            throw ServiceSettingsError("s3-buckets", "'\(ServiceError.quoted(bucket))' is not a bucket.")
        }
        try checkBase()
    }

    /// The base must be a place that some source below it is allowed in.
    private func checkBase() throws(ServiceSettingsError) {
        guard let base = sources.base else { return }
        var rules = sources
        (rules.base, rules.allowed) = (nil, nil)
        guard !base.utf8.contains(where: { "?#".utf8.contains($0) }) else {
            throw ServiceSettingsError("source-base", "The base has no query and no fragment.")
        }
        let separator = base.utf8.last == UInt8(ascii: "/") ? "" : "/"
        do {
            _ = try rules.source(named: base + separator + "a")
        } catch {
            throw ServiceSettingsError("source-base", error.cause ?? error.message)
        }
    }
}

extension ImgproxySettings {
    /// Without signing, keys are not needed.
    fileprivate func check(
        _ watermarks: Set<String>, _ signing: ServiceSettings.Signing
    ) throws(ServiceSettingsError) {
        let needsKeys = if case .off = signing { false } else { true }
        guard !(needsKeys && keys.isEmpty), keys.allSatisfy({ !$0.key.isEmpty }) else {
            throw ServiceSettingsError("imgproxy-keys-file", "There is at least one key, and none is empty.")
        }
        guard (16...32).contains(signatureSize) || signatureSize == 8 else {
            throw ServiceSettingsError("imgproxy-signature-size", "The size is 16 to 32, or 8.")
        }
        if let watermark, !watermarks.contains(watermark) {
            throw ServiceSettingsError("imgproxy-watermark", "No watermark has this name.")
        }
    }
}

extension ThumborSettings {
    fileprivate func check() throws(ServiceSettingsError) {
        guard !key.isEmpty else { throw ServiceSettingsError("thumbor-key-file", "The key is empty.") }
        guard scheme == "http" || scheme == "https" else {
            throw ServiceSettingsError("thumbor-scheme", "The scheme is http or https.")
        }
        if let signatureLength, !(16...88).contains(signatureLength) {
            throw ServiceSettingsError("thumbor-signature-length", "The length is 16 to 88 characters.")
        }
    }
}
