/// The variables of imgproxy.
extension ImgproxyImport {
    struct Conversion: Sendable {
        let setting: String
        /// The value for the setting; nil if the variable's is malformed or has no counterpart.
        let convert: @Sendable (String) -> String?

        init(_ setting: String, _ convert: @escaping @Sendable (String) -> String? = { $0 }) {
            (self.setting, self.convert) = (setting, convert)
        }

        static func seconds(_ setting: String) -> Self { Self(setting) { Int($0).map { "\($0) s" } } }

        static func flag(_ setting: String) -> Self {
            Self(setting) { ImgproxyImport.isTrue($0).map { $0 ? "on" : "off" } }
        }
    }

    /// As Go's `strconv.ParseBool`.
    static func isTrue(_ value: String) -> Bool? {
        switch value {
        case "1", "t", "T", "true", "TRUE", "True": true
        case "0", "f", "F", "false", "FALSE", "False": false
        default: nil
        }
    }

    /// Without a host, all interfaces.
    static func address(_ value: String) -> String { value.hasPrefix(":") ? "0.0.0.0\(value)" : value }

    /// Variables that become one setting.
    static let values: [String: Conversion] = [
        "BIND": Conversion("listen", address),
        "SIGNATURE_SIZE": Conversion("imgproxy-signature-size"),
        "ONLY_PRESETS": .flag("imgproxy-only-presets"),
        "LOCAL_FILESYSTEM_ROOT": Conversion("folder"),
        "BASE_URL": Conversion("source-base"),
        "MAX_SRC_RESOLUTION": Conversion("max-source-pixels") { Double($0) == nil ? nil : $0 + " MP" },
        "MAX_SRC_FILE_SIZE": Conversion("max-source-bytes") { $0 == "0" ? nil : $0 },
        "MAX_RESULT_DIMENSION": Conversion("max-result-side") { $0 == "0" ? nil : $0 },
        "QUALITY": Conversion("quality.jpeg"),
        "TTL": .seconds("ttl"),
        "FALLBACK_IMAGE_TTL": .seconds("fallback-ttl"),
        "TIMEOUT": .seconds("request-timeout"),
        "REQUEST_TIMEOUT": .seconds("request-timeout"),
        "DOWNLOAD_TIMEOUT": .seconds("download-timeout"),
        "READ_TIMEOUT": .seconds("read-timeout"),
        "READ_REQUEST_TIMEOUT": .seconds("read-timeout"),
        "WRITE_TIMEOUT": .seconds("write-timeout"),
        "WRITE_RESPONSE_TIMEOUT": .seconds("write-timeout"),
        "KEEP_ALIVE_TIMEOUT": .seconds("idle-timeout"),
        "GRACEFUL_TIMEOUT": .seconds("drain-timeout"),
        "GRACEFUL_STOP_TIMEOUT": .seconds("drain-timeout"),
        "MAX_CLIENTS": Conversion("connections") { $0 == "0" ? nil : $0 },
        "REQUESTS_QUEUE_SIZE": Conversion("queue"),
        "ALLOW_ORIGIN": Conversion("cors"),
        "S3_REGION": Conversion("s3-region"),
        "S3_ENDPOINT": Conversion("s3-endpoint"),
        "S3_ENDPOINT_USE_PATH_STYLE": .flag("s3-path-style"),
        "LOG_LEVEL": Conversion("log-level") { $0 == "warn" ? "warning" : $0 == "fatal" ? "critical" : $0 },
        "LOG_FORMAT": Conversion("log-format") { ["json", "gcp"].contains($0) ? "json" : "text" },
    ]

    /// Variables that are read with others.
    static let combined = [
        "KEY", "SALT", "PATH_PREFIX", "PRESETS", "PRESETS_SEPARATOR", "ALLOWED_SOURCES", "USE_S3",
        "S3_ALLOWED_BUCKETS", "ALLOW_LOOPBACK_SOURCE_ADDRESSES", "ALLOW_LINK_LOCAL_SOURCE_ADDRESSES",
        "ALLOW_PRIVATE_SOURCE_ADDRESSES", "AUTO_WEBP", "AUTO_AVIF", "AUTO_JXL", "ENABLE_WEBP_DETECTION",
        "ENABLE_AVIF_DETECTION", "ENABLE_JXL_DETECTION",
    ]

    /// Variables without a setting.
    static let unsupported: [String: String] = {
        let removed = "metadata is removed; the options sm and kcr of a URL keep it."
        let url = "write the image to a file, and name it in"
        return [
            "SECRET": "is not supported; let the proxy in front check the header.",
            "TRUSTED_SIGNATURES": "is not supported.",
            "PRESETS_PATH": "copy the lines of the file to imgproxy-presets, separated by commas.",
            "NETWORK": "write listen = unix:PATH for a socket.",
            "WORKERS": "memory-budget limits the work.", "CONCURRENCY": "memory-budget limits the work.",
            "USE_ETAG": "responses always have it.", "USE_LAST_MODIFIED": "responses always have it.",
            "CACHE_CONTROL_PASSTHROUGH": "ttl = source does the same.",
            "STRIP_METADATA": removed, "KEEP_COPYRIGHT": removed, "STRIP_COLOR_PROFILE": removed,
            "AUTO_ROTATE": "images are always turned upright.",
            "ENFORCE_WEBP": "is not supported.", "ENFORCE_AVIF": "is not supported.",
            "ENFORCE_JXL": "is not supported.",
            "PREFERRED_FORMATS": "with compat-negotiate = on, formats is this list.",
            "SKIP_PROCESSING_FORMATS": "is not supported.",
            "WATERMARK_URL": "\(url) watermark.imgproxy.", "WATERMARK_DATA": "\(url) watermark.imgproxy.",
            "WATERMARK_OPACITY": "is not supported; the option wm has an opacity.",
            "FALLBACK_IMAGE_URL": "\(url) fallback.imgproxy.",
            "FALLBACK_IMAGE_DATA": "\(url) fallback.imgproxy.",
            "DEVELOPMENT_ERRORS_MODE": "development = on, on loopback only.",
            "IGNORE_SSL_VERIFICATION": "is not supported; certificates are always verified.",
            "USE_GCS": "is not supported.", "USE_ABS": "is not supported.", "USE_SWIFT": "is not supported.",
            "S3_ASSUME_ROLE_ARN": "is not supported; keys are static.",
            "USER_AGENT": "is not supported.", "SANITIZE_SVG": "SVG is drawn, never passed through.",
            "SO_REUSEPORT": "is not supported.", "MAX_REDIRECTS": "is not supported.",
        ]
    }()
}
