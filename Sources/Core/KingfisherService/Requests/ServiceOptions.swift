import Kingfisher
public import KingfisherImage

/// The options of a request. ``ServiceOptionDefinition/all`` is the table of their names in URLs.
///
/// Texts are equal if their bytes are: Unicode equivalence would make one request of two versions.
public struct ServiceOptions: Hashable, Sendable {
    /// The format of the result.
    public enum Format: Hashable, Sendable {
        /// Chosen by the `Accept` field; see ``ServiceRequest/isNegotiable``.
        case negotiated
        /// The format of the source if it can be written, otherwise negotiated.
        case original
        /// This format.
        case exactly(ImageFormat)
    }

    /// Which frames of an animation the result has.
    public enum Frames: String, Hashable, Sendable, CaseIterable {
        /// The first frame, as a still.
        case first
        /// All frames.
        case all
    }

    /// Which metadata of the source the result has.
    public enum Metadata: String, Hashable, Sendable, CaseIterable {
        /// No metadata.
        case none
        /// Names of copyright holders and creators in EXIF, XMP and IPTC.
        case copyright
        /// All that the format has a place for.
        case keep
    }

    /// The format of the result.
    public var format = Format.negotiated
    /// 1...100 for lossy formats; nil for the default of the format.
    public var quality: Int?
    /// The quality of some formats, which takes precedence.
    public var formatQualities: [ImageFormat: Int] = [:]
    /// Whether to encode without loss, in formats with both encodings.
    public var isLossless = false
    /// 0...10; see `ImageEncodingOptions.effort`.
    public var effort: Int?
    /// 2...256; see `ImageEncodingOptions.maximumColors`.
    public var maximumColors: Int?
    /// Whether a JPEG is written in several scans.
    public var isProgressive = false
    /// The resolution of chroma in JPEG and lossy AVIF; nil to choose by quality.
    public var chroma: ChromaSubsampling?
    /// The maximum length of the result in bytes.
    public var maximumBytes: Int?
    /// The name of the fallback image in the settings.
    public var fallback: String? {
        get { fallbackText?.text }
        set { fallbackText = newValue.map { BytewiseString($0) } }
    }
    /// In the order of the URL, for purging and `Surrogate-Key`.
    public var tags: [String] {
        get { tagTexts.map(\.text) }
        set { tagTexts = newValue.map { BytewiseString($0) } }
    }
    /// Part of the key of the source: another version is fetched again.
    public var version: String? {
        get { versionText?.text }
        set { versionText = newValue.map { BytewiseString($0) } }
    }
    /// Seconds since 1970, after which the URL is invalid.
    public var expires: Int?
    /// Seconds for which the response may be cached at most; nil for the setting of the service.
    public var maximumAge: Int?
    /// Nil for the setting of the service.
    public var frames: Frames?
    /// The metadata of the result.
    public var metadata = Metadata.none
    /// For `Content-Disposition`.
    public var filename: String? {
        get { filenameText?.text }
        set { filenameText = newValue.map { BytewiseString($0) } }
    }
    /// Whether browsers save the file instead of showing it.
    public var isAttachment = false
    /// Whether client hints may shrink the first box.
    public var usesHints = false
    /// Whether information about the source has its BlurHash.
    public var hasBlurHash = false
    /// Whether information about the source has its ThumbHash.
    public var hasThumbHash = false

    private var fallbackText: BytewiseString?
    private var tagTexts: [BytewiseString] = []
    private var versionText: BytewiseString?
    private var filenameText: BytewiseString?

    /// Creates the options of a URL without any.
    public init() {}
}
