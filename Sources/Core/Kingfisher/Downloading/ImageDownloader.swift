import Dispatch
public import Foundation
public import FoundationNetworking
public import KingfisherTransport
import Synchronization

/// Downloads images. Simultaneous requests for one URL share one transfer, unless a request modifier gives
/// them different header fields, methods or bodies.
///
/// Safe from any thread. Bytes are decoded and processed on a serial queue of the downloader, or on the
/// options' processing queue, never on the caller's thread or the main queue.
///
/// A subclass may override the `open` members. A manager then downloads with `downloadImage(with:options:)`,
/// the variant with parsed options.
// Unchecked: all stored properties are constants of sendable types. A subclass must guarantee the same.
open class ImageDownloader: @unchecked Sendable {
    /// The downloader of requests that do not specify one; its name is "default".
    public static let `default` = ImageDownloader(name: "default")

    final let name: String
    final let settings: Mutex<DownloaderSettings>
    final let processingQueue: CallbackQueue
    final let deliveries: DeliveryQueue
    final let transfers = Mutex<[TransferKey: SessionDataTask]>([:])

    /// Creates a downloader that uses libcurl. The name must not be empty; it appears in logs and queue
    /// labels.
    public init(name: String) {
        self.name = name
        settings = Mutex(DownloaderSettings(injected: nil))
        processingQueue = Self.makeQueue(name)
        deliveries = DeliveryQueue(processingQueue)
    }

    /// Creates a downloader that uses another transport, such as one for tests.
    public init(name: String, transport: any Transport) {
        self.name = name
        settings = Mutex(DownloaderSettings(injected: transport))
        processingQueue = Self.makeQueue(name)
        deliveries = DeliveryQueue(processingQueue)
    }

    private static func makeQueue(_ name: String) -> CallbackQueue {
        precondition(!name.isEmpty, "The name of a downloader must not be empty.")
        return .dispatch(DispatchQueue(label: "com.onevcat.Kingfisher.ImageDownloader.\(name)"))
    }

    deinit {
        settings.withLock { $0.invalidate() }
    }

    /// Whether a manager or prefetcher with this downloader reads file and data URLs; otherwise such URLs
    /// cannot be loaded.
    final var readsFileURLs: Bool { settings.withLock(\.readsFileURLs) }

    /// Whether the program has given credentials to the downloader: fields of the session configuration,
    /// client certificates, or a responder to challenges.
    final var maySendCredentials: Bool { settings.withLock(\.maySendCredentials) }

    /// The idle timeout of downloads in seconds; 15 by default.
    ///
    /// Name lookup and connecting, TLS included, may take as long each, but at most 10 seconds. The
    /// `timeoutInterval` of a request modifier replaces it.
    open var downloadTimeout: TimeInterval {
        get { settings.withLock(\.timeout) }
        set { settings.withLock { $0.timeout = newValue } }
    }

    /// The minimum rate of a download while others wait for its connection; 1 KiB per second over 5 seconds
    /// by default, nil for no limit.
    ///
    /// A slower download continues in addition to the connections of `httpMaximumConnectionsPerHost`, so that
    /// the next one starts. If four downloads to its host, or 64 in total, already do so, it fails with
    /// `KingfisherError.ResourceErrorReason.tooSlow`. If the limit of its host is reached, the rate is
    /// measured over a fifth of the time. Downloads that block no other may be slow.
    public var minimumRate: MinimumRate? {
        get { settings.withLock(\.minimumRate) }
        set { settings.withLock { $0.minimumRate = newValue } }
    }

    /// The maximum rate of requests to one host (scheme, host and port); nil, the default, for no limit.
    ///
    /// Downloads beyond the rate wait; downloads from other hosts do not wait for them. Each hop of a
    /// redirect is a request to its host. The time spent waiting counts for no timeout. A change also applies
    /// to waiting downloads. Requests that a class of `sessionConfiguration.protocolClasses` handles are not
    /// limited.
    ///
    /// With a rate, `RequestRate.unlimited` included, no request is sent to a host that has answered 429 (Too
    /// Many Requests), or 503 with `Retry-After`, for as long as `Retry-After` says; for 1 second if a 429
    /// does not say it. A download waits up to 60 seconds for that. If the host refuses requests for longer,
    /// it fails at once with `KingfisherError.ResourceErrorReason.overloaded`. At most an hour and 1,000
    /// hosts are remembered, until the session configuration is set.
    ///
    /// Not part of the original library.
    public var requestRate: RequestRate? {
        get { settings.withLock(\.requestRate) }
        set { settings.withLock { $0.requestRate = newValue } }
    }

    /// Has no effect; exists for code shared with Apple's systems.
    ///
    /// libcurl has removed HTTP/1.1 pipelining, and Foundation has deprecated it. Over HTTP/2, requests to
    /// one host always share a connection.
    open var requestsUsePipelining: Bool {
        get { settings.withLock(\.usesPipelining) }
        set { settings.withLock { $0.usesPipelining = newValue } }
    }

    /// Observes and controls transfers; held weakly.
    open var delegate: (any ImageDownloaderDelegate)? {
        get { settings.withLock(\.delegate)?.value }
        set {
            let delegate = newValue.map(WeakDelegate.init)
            settings.withLock { $0.delegate = delegate }
        }
    }

    /// Answers servers that demand a user name and a password; held weakly. The default is the downloader
    /// itself, which uses the credentials of the URL.
    open var authenticationChallengeResponder: (any AuthenticationChallengeResponsible)? {
        get {
            // No weak reference to `self`: it would make every reference to the downloader more expensive.
            guard let responder = settings.withLock(\.responder) else { return self }
            return responder.value
        }
        set {
            let responder = WeakResponder(newValue)
            settings.withLock { $0.responder = responder }
        }
    }

    /// The session configuration. It is copied on reading and writing, as in URLSession: read it, change the
    /// copy and set it.
    ///
    /// These properties are honoured:
    ///
    /// - `httpAdditionalHeaders`.
    /// - `httpMaximumConnectionsPerHost`. Further downloads wait, see
    ///   `KingfisherOptionsInfoItem.downloadPriority`. The limit is higher for HTTP/2 servers. The total is
    ///   limited to 256; beyond it, a host without a download may start one.
    /// - `timeoutIntervalForResource`, if less than the default of 7 days.
    /// - `timeoutIntervalForRequest`, if less than the default of 60 seconds and less than
    ///   ``downloadTimeout``.
    /// - `protocolClasses`, except Foundation's own. They are asked before the transport.
    /// - `httpCookieStorage`, `httpShouldSetCookies` and `httpCookieAcceptPolicy`. The default configuration,
    ///   `.ephemeral`, has a separate cookie storage and writes no file.
    /// - `connectionProxyDictionary`. It replaces the proxies of the environment; an empty one means no
    ///   proxy. The keys are `HTTPEnable`, `HTTPProxy` and `HTTPPort` for http, the same with `HTTPS` for
    ///   https, and with `SOCKS` for both without such a proxy. It does not apply to an injected transport,
    ///   and under an ``addressPolicy`` no proxy is used.
    ///
    /// Setting the configuration cancels running transfers, as a new URLSession would. Transfers of an
    /// injected transport continue.
    open var sessionConfiguration: URLSessionConfiguration {
        get { settings.withLock { $0.configuration }.copy }
        set {
            let configuration = UncheckedConfiguration(copying: newValue)
            settings.withLock { $0.configure(configuration) }?.invalidate()
        }
    }

    /// Downloads and processes an image. The completion runs on the options' callback queue, exactly once.
    ///
    /// Errors: `requestError` if the request could not be made or was cancelled (`taskCancelled`),
    /// `responseError` if the transfer failed or the response was refused, `processorError` if the bytes or
    /// the processor give no image, and `resourceError` if the server was too slow or refuses requests.
    @discardableResult
    open func downloadImage(
        with url: URL, options: KingfisherParsedOptionsInfo,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        let order = options.takeOrder()
        return download(
            DownloadOrder(
                url: url, options: options, task: order?.task ?? DownloadTask(),
                admission: order?.admission, progressBlock: order?.progressBlock,
                observer: options.values.handover.observer,
                bodies: order?.bodies ?? BodyStore(), interrupted: order?.takeInterrupted()),
            completionHandler)
    }

    /// Downloads and processes an image. The completion runs on the options' callback queue, exactly once;
    /// progress on the main queue. See the method with parsed options for errors.
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
        downloadImage(order) { completionHandler?($0) }
        return order.task
    }

    /// Downloads and processes an image. The completion runs on the options' callback queue, exactly once.
    /// See the method with parsed options for errors.
    @discardableResult
    open func downloadImage(
        with url: URL, options: KingfisherOptionsInfo? = nil,
        completionHandler: (@Sendable (Result<ImageLoadingResult, KingfisherError>) -> Void)? = nil
    ) -> DownloadTask {
        downloadImage(with: url, options: options, progressBlock: nil, completionHandler: completionHandler)
    }

    /// Whether the downloads are suspended; see ``suspend()``.
    public var isSuspended: Bool { settings.withLock(\.isSuspended) }

    /// Suspends all downloads, running and later ones, until ``resume()``:
    /// `manager.downloader.suspend()`.
    ///
    /// Running downloads read nothing more from their connections, apart from what is being received now; the
    /// server waits for them. New ones, retries and redirects wait, and start by priority and arrival.
    /// ``downloadTimeout`` and every other limit of time do not run. A download that is cancelled, or that
    /// fails, completes immediately: a server may close the connection meanwhile, which the download notices
    /// at the latest when it is resumed. Images in caches, and sources other than downloads, load as usual.
    ///
    /// Suspending twice is the same as once. A new ``sessionConfiguration`` changes nothing about it. With a
    /// memory budget, suspended downloads keep the memory that they have reserved, and more new ones than may
    /// wait for a connection fail with `overloaded`. Running transfers of an injected transport continue. A
    /// downloader with suspended downloads is not released.
    ///
    /// Not part of the original library.
    public func suspend() { settings.withLock { $0.isSuspended = true } }

    /// Resumes all downloads. Does nothing if they are not suspended.
    ///
    /// Not part of the original library.
    public func resume() { settings.withLock { $0.isSuspended = false } }

    /// Cancels every transfer; each completion handler gets `taskCancelled`.
    open func cancelAll() {
        for task in transfers.withLock({ Array($0.values) }) { task.cancelAll() }
    }

    /// Cancels all transfers of `url`; each of their completion handlers gets `taskCancelled`.
    open func cancel(url: URL) {
        let key = TransferKey(url)
        let tasks = transfers.withLock { transfers in
            transfers.filter { $0.key.hasSameURL(as: key) }.map(\.value)
        }
        for task in tasks { task.cancelAll() }
    }
}
