public import Foundation
public import Kingfisher
public import KingfisherIsolation
public import KingfisherService

/// The settings of a server.
///
/// The initial values are the defaults of `kingfisher-server`, and safe: only public addresses are fetched,
/// every decoder is isolated, and the server listens on loopback.
public struct ServerSettings: Sendable {
    /// Where a server accepts connections.
    public enum Listener: Hashable, Sendable {
        /// A host name or address, and a port; 0 lets the system choose.
        case tcp(host: String, port: Int)
        /// The path of a Unix domain socket.
        case unix(path: String)
        /// A listening socket that systemd passes to the program (sd_listen_fds(3)): the one with the name of
        /// the setting, `listen` or `admin-listen`; for `listen` also the only one with another name.
        case systemd
    }

    /// Limits of the machine and of clients.
    public struct Load: Hashable, Sendable {
        /// Bytes for bodies and decoding; nil for an eighth of the machine's memory, at most 256 MiB.
        public var memoryBudget: Int?
        /// How many requests wait for memory; nil for four for each processor, and 64.
        public var queueLength: Int?
        /// The maximum number of connections; further ones wait in the kernel.
        public var connections = 4_096
        /// The maximum number of connections of a client address; nil for a quarter of `connections`.
        public var connectionsPerClient: Int?
        /// Requests for images of a client address a second that are not answered from a cache; nil for no
        /// limit.
        public var rate: Double?
        /// How many such requests a client may make at once.
        public var burst = 20
        /// Proxies whose `X-Forwarded-For` names the client, and which may have any number of connections.
        public var trustedProxies: [IPNetwork] = []

        /// Creates the default limits.
        public init() {}
    }

    /// Time limits.
    public struct Timeouts: Hashable, Sendable {
        /// From the first byte that is sent to a source to the end of its body.
        public var download = Duration.seconds(10)
        /// From the end of a request to its response.
        public var request = Duration.seconds(20)
        /// Of the head of a request, and of its body.
        public var read = Duration.seconds(10)
        /// Without progress of a response that the client does not take.
        public var write = Duration.seconds(20)
        /// Of a connection without a request.
        public var idle = Duration.seconds(15)
        /// For the responses in progress when the server stops.
        public var drain = Duration.seconds(30)

        /// Creates the default limits.
        public init() {}
    }

    /// The caches.
    public struct Caches: Sendable {
        /// The folder of both disk caches; nil for the folder `kingfisher-server` in the user's caches.
        public var folder: URL?
        /// The limit of results on disk in bytes.
        public var resultBytes = 4 << 30
        /// The limit of originals on disk in bytes.
        public var originalBytes = 4 << 30
        /// The limit of results in memory in bytes.
        public var memoryBytes = 64 << 20
        /// The URL of a Redis or Valkey engine that several servers share, as `RedisConfiguration` reads it.
        public var shared: String?
        /// A source is fetched again no earlier than after this time in seconds.
        public var sourceMinimumLifetime: TimeInterval = 60
        /// How long a source is fresh that does not say it, in seconds.
        public var sourceDefaultLifetime: TimeInterval = 86_400

        /// Creates the default caches.
        public init() {}
    }

    /// Where `s3` sources are.
    public struct Buckets: Sendable {
        /// The server of the buckets.
        public var endpoint: S3Endpoint
        /// Who signs requests.
        public var credentials: S3Credentials
        /// The addresses that may be connected to, besides public ones.
        public var allowedAddresses: [IPNetwork] = []

        /// Creates the settings of an endpoint.
        public init(endpoint: S3Endpoint, credentials: S3Credentials) {
            (self.endpoint, self.credentials) = (endpoint, credentials)
        }
    }

    /// Where clients connect.
    public var listen = Listener.tcp(host: "127.0.0.1", port: 8_080)
    /// Where metrics, health, readiness and purges are served; nil for nowhere.
    public var adminListen: Listener? = .tcp(host: "127.0.0.1", port: 9_090)
    /// The meaning of URLs.
    public var urls: ServiceSettings
    /// The formats that clients are offered, the first one preferred.
    public var formats: [ImageFormat] = [ImageFormat(name: "AVIF"), ImageFormat(name: "WEBP")]
    /// The quality by format, 1...100, in place of the default one.
    public var qualities: [ImageFormat: Int] = [:]
    /// When AVIF and JPEG XL are made after the response, and when never.
    public var slowFormats = {
        var formats = SlowFormats()
        (formats.backgroundPixels, formats.maximumPixels) = (1_000_000, 8_000_000)
        return formats
    }()
    /// The widths in pixels to which client hints shrink boxes; none to ignore client hints.
    public var hintWidths = [160, 240, 320, 480, 640, 960, 1_280, 1_920, 2_560]
    /// Which frames a result has if the URL does not say.
    public var frames = ServiceOptions.Frames.first
    /// The maximum number of frames of a source.
    public var maximumFrames = 256
    /// The maximum size of a source in bytes.
    public var maximumSourceBytes = 32 << 20
    /// The maximum number of pixels of a source.
    public var maximumSourcePixels = 50_000_000
    /// The maximum size of the body of a POST in bytes.
    public var maximumUploadBytes = 16 << 20
    /// Whether results of POST are stored.
    public var storesUploads = false
    /// The files of the images that `watermark` names.
    public var watermarks: [String: URL] = [:]
    /// The files of the images that `fallback` names.
    public var fallbacks: [String: URL] = [:]
    /// The folder of `local` sources.
    public var folder: URL?
    /// The buckets of `s3` sources.
    public var buckets: Buckets?
    /// Addresses that sources may have, besides public ones.
    public var allowedAddresses: [IPNetwork] = []
    /// Ports that sources may have; nil for all.
    public var allowedPorts: Set<Int>? = [80, 443]
    /// The caches.
    public var caches = Caches()
    /// Lifetimes and fields of responses. Its formats are not used.
    public var responses = ServiceResponseSettings(
        negotiation: FormatNegotiation(formats: [], stills: [], animations: []))
    /// Limits of the machine and of clients.
    public var load = Load()
    /// Time limits.
    public var timeouts = Timeouts()
    /// Which formats are decoded in locked-down processes.
    public var isolation = IsolationPolicy.all
    /// The path of `kingfisher-decoder`; nil to search it beside the program.
    public var decoder: String?
    /// The token of purges; nil to refuse purges.
    public var purgeToken: String?
    /// Whether purges are accepted where clients connect.
    public var purgesPublicly = false
    /// The least severe messages of the log: trace, debug, info, notice, warning, error or critical.
    public var logLevel = "info"
    /// Whether a line of the log is a JSON object.
    public var logsJSON = false

    /// Creates the default settings of a service with these URLs.
    public init(urls: ServiceSettings) { self.urls = urls }
}
