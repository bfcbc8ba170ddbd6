/// What decides the meaning of a service's URLs.
public struct ServiceSettings: Sendable {
    /// Whether URLs are signed.
    public enum Signing: Sendable {
        /// Every URL has a signature by one of the keys; the first one signs.
        case keys([SigningKey])
        /// The signature is `unsafe`.
        case off
    }

    /// What happens to URLs of other services that ask for a crop by content, which does not exist here.
    public enum SmartCrop: String, Sendable {
        /// Status 400.
        case refuse
        /// Crop around the centre.
        case center
    }

    /// Whether URLs are signed.
    public var signing: Signing
    /// Where URLs in the grammar of this service begin: `/` or `/` and segments, without a slash at the end.
    public var nativePrefix = "/"
    /// Steps and options by the name of a preset, as segments of a path separated by slashes, not
    /// percent-encoded.
    public var presets: [String: String] = [:]
    /// The names of images that `watermark` steps may draw.
    public var watermarks: Set<String> = []
    /// The names of images that `fallback` may name.
    public var fallbacks: Set<String> = []
    /// Which sources are read.
    public var sources = ServiceSourceRules()
    /// URLs of imgproxy; nil to refuse them.
    public var imgproxy: ImgproxySettings?
    /// URLs of thumbor and imagor; nil to refuse them.
    public var thumbor: ThumborSettings?
    /// What happens to crops by content.
    public var smartCrop = SmartCrop.refuse
    /// Whether URLs of other services get their format by `Accept`.
    public var negotiatesCompatibleURLs = false
    /// The longest side of a result that a step may ask for, in pixels.
    public var maximumResultSide = 8_192
    /// The most pixels of a result that a step may ask for.
    public var maximumResultPixels = 40_000_000

    public init(signing: Signing) { self.signing = signing }
}

/// Which sources a service reads.
public struct ServiceSourceRules: Sendable {
    /// Origins that may be fetched, each a URL with a path prefix, such as `https://*.example.com/photos/`;
    /// nil for all. A first host label `*` is one or more labels.
    public var allowed: [String]? {
        didSet { origins = allowed?.map { try? AllowedOrigin($0) } }
    }
    /// `allowed`, parsed; an entry that is malformed allows nothing.
    private(set) var origins: [AllowedOrigin?]?
    /// The URL below which relative sources are, such as `https://example.com/photos/`; nil to refuse them.
    public var base: String?
    /// Whether `local` sources are allowed.
    public var allowsFolder = false
    /// The buckets of `s3` sources.
    public var buckets: Set<String> = []

    public init() {}
}

/// How URLs of imgproxy are read.
public struct ImgproxySettings: Sendable {
    /// Key and salt.
    public struct KeyPair: Hashable, Sendable {
        /// The key of the HMAC.
        public var key: [UInt8]
        /// What precedes the path in the signed bytes.
        public var salt: [UInt8]

        /// Creates a pair.
        public init(key: [UInt8], salt: [UInt8]) { (self.key, self.salt) = (key, salt) }
    }

    /// Where the URLs begin.
    public var prefix = "/imgproxy"
    /// The pairs that may have signed a URL.
    public var keys: [KeyPair]
    /// The bytes of a signature: 16 to 32, or 8.
    public var signatureSize = 32
    /// Options by the name of a preset, in the grammar of imgproxy.
    public var presets: [String: String] = [:]
    /// Whether URLs contain only names of presets.
    public var usesOnlyPresets = false
    /// The name of the image that `watermark` draws, one of `ServiceSettings.watermarks`.
    public var watermark: String?

    /// Creates settings with these keys and no presets.
    public init(keys: [KeyPair]) { self.keys = keys }
}

/// How URLs of thumbor and imagor are read.
public struct ThumborSettings: Sendable {
    /// The hash function of the HMAC.
    public enum Algorithm: String, Sendable {
        /// As thumbor.
        case sha1
        /// As imagor can.
        case sha256
        /// As imagor can.
        case sha512
    }

    /// Where the URLs begin.
    public var prefix = "/thumbor"
    /// The key of the HMAC.
    public var key: [UInt8]
    /// The hash function of the HMAC.
    public var algorithm = Algorithm.sha1
    /// The characters of a signature, if it is truncated as imagor does.
    public var signatureLength: Int?
    /// The scheme of sources without one.
    public var scheme = "https"

    /// Creates settings with this key, for URLs of thumbor.
    public init(key: [UInt8]) { self.key = key }
}
