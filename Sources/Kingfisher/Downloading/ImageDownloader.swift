import Dispatch
public import Foundation
public import FoundationNetworking
public import KingfisherTransport
import Synchronization

/// Downloads images, each URL once for everyone who asks for it at the same time.
///
/// Safe from any thread. Bytes are decoded and processed on a serial queue of the downloader, or on the
/// options' processing queue; nothing of it happens on the caller's thread or on the main queue.
///
/// A subclass may override what is `open`; a manager then downloads by `downloadImage(with:options:)` with
/// parsed options.
// Unchecked: all stored properties are constants of sendable types; a subclass says the same of its own.
open class ImageDownloader: @unchecked Sendable {
    /// The downloader of requests that name none; called "default".
    public static let `default` = ImageDownloader(name: "default")

    final let name: String
    final let settings: Mutex<DownloaderSettings>
    final let processingQueue: CallbackQueue
    /// What is to be handed out on the processing queue.
    final let deliveries: DeliveryQueue
    /// What servers have accepted, kept until the downloader goes.
    final let credentials = CredentialStore()
    final let transfers = Mutex<[TransferKey: SessionDataTask]>([:])

    /// Makes a downloader over libcurl. The name is for people; it must not be empty.
    public init(name: String) {
        self.name = name
        settings = Mutex(DownloaderSettings(injected: nil))
        processingQueue = Self.makeQueue(name)
        deliveries = DeliveryQueue(processingQueue)
    }

    /// Makes a downloader over another transport, such as a test's.
    public init(name: String, transport: any Transport) {
        self.name = name
        settings = Mutex(DownloaderSettings(injected: transport))
        processingQueue = Self.makeQueue(name)
        deliveries = DeliveryQueue(processingQueue)
    }

    private static func makeQueue(_ name: String) -> CallbackQueue {
        precondition(!name.isEmpty, "A downloader needs a name, to be told apart by people.")
        return .dispatch(DispatchQueue(label: "com.onevcat.Kingfisher.ImageDownloader.\(name)"))
    }

    deinit {
        settings.withLock { settings in
            if settings.ownsTransport { settings.transport.invalidate() }
        }
    }

    /// Whether a file URL given to a manager or prefetcher with this downloader is that file,
    /// or a URL that cannot be loaded.
    final var readsFileURLs: Bool { settings.withLock(\.readsFileURLs) }

    /// The longest silence of a server before a download fails, in seconds; 15 by default.
    ///
    /// Looking its name up and connecting, TLS included, may take as long each, but never more than 10
    /// seconds. A request modifier's `timeoutInterval` replaces it.
    open var downloadTimeout: TimeInterval {
        get { settings.withLock(\.timeout) }
        set { settings.withLock { $0.timeout = newValue } }
    }

    /// The slowest that a download may be while another one waits for its connection; 1 KiB a second over 5
    /// seconds by default, nil for no limit.
    ///
    /// A slower one goes on beside the connections of `httpMaximumConnectionsPerHost`, so that the next one
    /// starts. Where four to its host do so already, or 64 in all, it fails with
    /// `KingfisherError.ResourceErrorReason.tooSlow`; where it is its host that is full, it is judged over a
    /// fifth of the time. Downloads that nothing waits for may be slow.
    public var minimumRate: MinimumRate? {
        get { settings.withLock(\.minimumRate) }
        set { settings.withLock { $0.minimumRate = newValue } }
    }

    /// Kept for code shared with Apple's systems; changes nothing.
    ///
    /// HTTP/1.1 pipelining is gone from libcurl, and deprecated in Foundation. Over HTTP/2 requests to one
    /// host share a connection without being asked.
    open var requestsUsePipelining: Bool {
        get { settings.withLock(\.usesPipelining) }
        set { settings.withLock { $0.usesPipelining = newValue } }
    }

    /// Watches transfers and has a say in them; held weakly.
    open var delegate: (any ImageDownloaderDelegate)? {
        get { settings.withLock(\.delegate).value }
        set {
            let delegate = WeakDelegate(newValue)
            settings.withLock { $0.delegate = delegate }
        }
    }

    /// Answers servers that demand a user's name and password; held weakly, at first the downloader
    /// itself, which uses those of the URL.
    open var authenticationChallengeResponder: (any AuthenticationChallengeResponsible)? {
        get {
            // Not held weakly by itself: that would make every reference to it dearer.
            guard let responder = settings.withLock(\.responder) else { return self }
            return responder.value
        }
        set {
            let responder = WeakResponder(newValue)
            settings.withLock { $0.responder = responder }
        }
    }

    /// A bag of settings, copied in and out as URLSession does: to change one, take it, change
    /// it and set it again.
    ///
    /// `httpAdditionalHeaders`, `httpMaximumConnectionsPerHost`, `timeoutIntervalForResource` (when shorter
    /// than the default week) and `timeoutIntervalForRequest` (when shorter than the default minute and than
    /// ``downloadTimeout``) are honoured. Downloads beyond the number of connections wait, see
    /// `KingfisherOptionsInfoItem.downloadPriority`; more of them run where a server speaks HTTP/2, and 256
    /// at most in all, beyond which a host with no download may have one. `protocolClasses` are asked first,
    /// but for Foundation's own. Cookies follow `httpCookieStorage`, `httpShouldSetCookies` and
    /// `httpCookieAcceptPolicy`; the default, `.ephemeral`, has a storage of its own and keeps nothing on
    /// disk.
    ///
    /// `connectionProxyDictionary` takes the place of the environment's proxies; an empty one means none. For
    /// http it is `HTTPEnable`, `HTTPProxy` and `HTTPPort` that are read, for https the same keys with
    /// `HTTPS`. A transport handed in has its own way, and under an ``addressPolicy`` there is no proxy.
    ///
    /// Setting it gives running transfers of the old settings up, as a new URLSession would; but not those
    /// over a transport handed in, which go on.
    open var sessionConfiguration: URLSessionConfiguration {
        get { settings.withLock(\.configuration).copy }
        set {
            let configuration = UncheckedConfiguration(copying: newValue)
            let old = settings.withLock { settings -> (any Transport)? in
                settings.configuration = configuration
                return settings.replaceTransport()
            }
            old?.invalidate()
        }
    }

    /// Downloads and processes an image. The completion runs on the options' callback queue, exactly once.
    @discardableResult
    open func downloadImage(
        with url: URL, options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        let order = options.downloadCall?.take()
        return download(
            DownloadOrder(
                url: url, options: options, task: order?.task ?? DownloadTask(),
                admission: order?.admission, progressBlock: order?.progressBlock), completionHandler)
    }

    /// Downloads and processes an image. The completion runs on the options' callback queue, exactly once;
    /// progress on the main queue.
    @discardableResult
    open func downloadImage(
        with url: URL, options: KingfisherOptionsInfo? = nil, progressBlock: DownloadProgressBlock? = nil,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        download(
            DownloadOrder(
                url: url, options: KingfisherParsedOptionsInfo(options), task: DownloadTask(),
                progressBlock: ProgressRelay.carried(progressBlock)), completionHandler)
    }

    private func download(
        _ order: DownloadOrder,
        _ completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)?
    ) -> DownloadTask {
        download(order) { outcome in
            if let completionHandler, let result = outcome.result { completionHandler(result) }
        }
        return order.task
    }

    /// Downloads and processes an image. The completion runs on the options' callback queue, exactly once.
    @discardableResult
    open func downloadImage(
        with url: URL, options: KingfisherOptionsInfo? = nil,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        downloadImage(with: url, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    /// Cancels every transfer; each completion handler gets `taskCancelled`.
    open func cancelAll() {
        for task in transfers.withLock({ Array($0.values) }) { task.cancelAll() }
    }

    /// Cancels the transfer of `url`; each of its completion handlers gets `taskCancelled`.
    open func cancel(url: URL) {
        let key = TransferKey(url)
        let tasks = transfers.withLock { transfers in
            transfers.filter { $0.key.hasSameURL(as: key) }.map(\.value)
        }
        for task in tasks { task.cancelAll() }
    }
}
