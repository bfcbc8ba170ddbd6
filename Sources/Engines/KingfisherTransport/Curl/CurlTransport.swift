import CCurl
import Foundation
import Synchronization

/// The default transport: libcurl's multi interface, driven by one thread.
///
/// The thread starts with the first transfer. It ends with ``invalidate()`` or when the transport is
/// released, which also cancels running transfers. Connections are reused, and HTTP/2 is used where TLS
/// negotiates it. Proxies are taken from the environment by libcurl's rules.
public final class CurlTransport: Transport {
    /// The settings of a transport, which are fixed when it is created.
    public struct Configuration: Sendable {
        /// The maximum number of open connections to one host and port; further transfers wait.
        ///
        /// Behind a ``QueuedTransport``, it should be larger than ``QueuedTransport/Limits/perHost`` by
        /// ``QueuedTransport/Limits/slowPerHost``, as the default, 10, is for its limits: slow transfers keep
        /// their connections without a slot, and transfers that wait here for one would be too slow as well.
        public var maxConnectionsPerHost = 10
        /// The resolver for host names; it is not called for numeric hosts.
        public var resolver: any Resolver = CachingResolver()
        /// The user agent for requests without one, because many servers refuse such requests. `nil` sends
        /// none.
        public var userAgent: String? = "Kingfisher/\(kingfisherVersion)"
        /// The environment with `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
        public var environment = ProcessInfo.processInfo.environment
        /// The file of the system's authorities, in PEM, for requests with additional authorities; `nil` is
        /// the file that libcurl trusts by default.
        package var systemAuthorities: String?

        public init() {}
    }

    private let configuration: Configuration
    private let mailbox = CurlMailbox()
    /// Whether the thread was started, or is not needed any more.
    private let wasStarted = Atomic(false)

    /// Creates a transport. Its thread starts with the first transfer.
    public init(_ configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    deinit { invalidate() }

    public func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
        if !wasStarted.load(ordering: .relaxed), !wasStarted.exchange(true, ordering: .relaxed) {
            startThread()
        }
        let transfer = CurlTransfer(request, handler, mailbox)
        if !mailbox.post(.start(transfer)) {
            DispatchQueue.global().async { transfer.finish(.failure(.cancelled)) }
        }
        return transfer
    }

    public func invalidate() {
        if wasStarted.exchange(true, ordering: .relaxed) {
            mailbox.post(.shutDown)
        } else {
            _ = mailbox.close()
        }
    }

    /// Whether all transfers are suspended: they neither read bodies nor succeed, and no time limit runs.
    /// They may fail and be cancelled.
    package var isSuspended: Bool {
        get { mailbox.isSuspended }
        set { mailbox.isSuspended = newValue }
    }

    private func startThread() {
        let thread = Thread { [configuration, mailbox] in
            kf_name_this_thread("kf-transport")
            CurlLoop.run(mailbox, configuration)
        }
        thread.stackSize = 512 << 10
        thread.start()
    }
}
