public import Foundation

/// A cache of encoded images below the disk cache, such as another disk or a cache that machines share.
///
/// If an image is not in memory and not on disk, a manager reads its `tiers` in order, before it loads from
/// the source. A hit is written to the disk and to the tiers above. New images are written to every tier
/// after delivery, unless they are private: their response has `Cache-Control: private` or was requested with
/// credentials, or they are made of such an image. A tier cannot make a request fail: an error, a missed
/// deadline or a corrupt entry is a miss, which `KingfisherEvent.tierMissed` reports.
///
/// A tier may grant leases, so that only one of several machines makes an image. ``read(_:)`` then returns
/// `.absent` with a lease to the first caller and `.busy` to the others. These read again for at most a
/// second, and then make the image themselves. Each lease is used for one write, or released.
///
/// All methods may be called concurrently, from any thread.
public protocol CacheTier: Sendable {
    /// The name of the tier in events.
    var name: String { get }

    /// Whether the tier stores originals in addition to processed images; false by default.
    var keepsOriginals: Bool { get }

    /// How long callers wait for each operation; by default 250 ms to read or remove, and 5 s to write.
    var deadlines: TierDeadlines { get }

    /// The executor on which the operations begin, such as the thread of a network client; nil, by default,
    /// for the global one.
    var executor: (any TaskExecutor)? { get }

    /// Reads the entry of a key. The current task is cancelled when the deadline has passed, or when no
    /// request waits any more.
    func read(_ key: TierKey) async throws(TierError) -> TierReading

    /// Stores an entry, replacing an earlier one, or a failure of the key.
    ///
    /// - Parameter lease: The lease that `read` returned for this key; nil if it returned none. A tier throws
    ///   `leaseLost` if another caller has the lease by now.
    func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) async throws(TierError)

    /// Stores that the source of a key has no image, replacing an earlier failure or an entry. Until
    /// `failure.expiration`, ``read(_:)`` returns `.negative`; after that the key counts as absent, so that
    /// the next caller may get a lease.
    ///
    /// Called after a download with the option `.negativeCaching` has failed, once for concurrent requests.
    /// The default implementation stores nothing and releases the lease.
    ///
    /// - Parameter lease: As for ``write(_:for:lease:)``; it is used up.
    func writeNegative(_ failure: TierFailure, for key: TierKey, lease: TierLease?) async throws(TierError)

    /// Removes the entry of a key, or its failure. A missing entry is not an error.
    func remove(_ key: TierKey) async throws(TierError)

    /// Releases a lease without a write, so that the next caller gets it.
    func release(_ lease: TierLease, for key: TierKey) async
}

extension CacheTier {
    public var keepsOriginals: Bool { false }

    public var deadlines: TierDeadlines { TierDeadlines() }

    public var executor: (any TaskExecutor)? { nil }

    public func writeNegative(
        _ failure: TierFailure, for key: TierKey, lease: TierLease?
    ) async throws(TierError) {
        if let lease { await release(lease, for: key) }
    }
}

/// How long callers wait for the operations of a tier. When a deadline has passed, the task of the operation
/// is cancelled, and the operation counts as failed.
public struct TierDeadlines: Sendable, Hashable {
    /// The deadline of ``CacheTier/read(_:)`` and ``CacheTier/remove(_:)``.
    public var read: Duration
    /// The deadline of ``CacheTier/write(_:for:lease:)`` and ``CacheTier/writeNegative(_:for:lease:)``.
    public var write: Duration

    /// Makes deadlines; by default 250 ms to read and 5 s to write.
    public init(read: Duration = .milliseconds(250), write: Duration = .seconds(5)) {
        self.read = read
        self.write = write
    }
}

/// The key of an entry.
public struct TierKey: Sendable, Hashable {
    /// The source's cache key.
    public let cacheKey: String
    /// The identifier of the processor; empty for an unprocessed image and for an original.
    public let processorIdentifier: String
    /// The extension set by `forcedCacheFileExtension`, if any.
    public let fileExtension: String?

    /// Makes a key.
    public init(cacheKey: String, processorIdentifier: String = "", fileExtension: String? = nil) {
        self.cacheKey = cacheKey
        self.processorIdentifier = processorIdentifier
        self.fileExtension = fileExtension
    }

    /// The key as one string, unique for each key.
    public var text: String {
        let key = cacheKey.computedKey(with: processorIdentifier)
        return fileExtension.map { "\(key)\u{0}\($0)" } ?? key
    }
}

/// The result of reading a tier.
public enum TierReading: Sendable {
    /// An entry that may be used.
    case hit(TierEntry)
    /// An entry that should be replaced. It is delivered immediately; the caller that gets a lease makes a
    /// new one in the background.
    case stale(TierEntry, renewal: TierLease?)
    /// No entry. A lease gives the right to make it.
    case absent(TierLease?)
    /// The source is known to have no image. The request tries its other sources, or fails with
    /// `KingfisherError.ResourceErrorReason.knownFailure`. Without a status, the failure of an original is
    /// ignored by requests with a processor, which may know the format.
    case negative(TierFailure)
    /// Another caller is making the entry.
    case busy
}

/// The right to write the entry of a key.
public struct TierLease: Sendable, Hashable {
    /// The tier's identifier of the lease.
    public let token: String

    /// Makes a lease. `token` identifies it within the tier.
    public init(token: String) {
        self.token = token
    }
}

/// Why a source is known to have no image.
public struct TierFailure: Sendable, Hashable {
    /// The status of the server's response; nil if the response was not an image.
    public let statusCode: Int?
    /// When the source may be loaded again.
    public let expiration: Date

    /// Makes a failure that ends at `expiration`.
    ///
    /// - Parameter statusCode: The status of the server's response; nil if the response was not an image.
    public init(statusCode: Int?, expiration: Date) {
        self.statusCode = statusCode
        self.expiration = expiration
    }
}

/// Why an operation of a tier failed.
public enum TierError: Error, Sendable {
    /// The tier cannot be reached, or does not work.
    case unavailable(any Error)
    /// The bytes differ from those that were written.
    case corrupt
    /// The entry has more bytes than the tier accepts.
    case tooLarge(limit: Int)
    /// Another caller has the lease by now.
    case leaseLost
    /// The deadline has passed.
    case deadline
    /// The current task was cancelled.
    case cancelled
}

/// An error of a tier's engine that has a name for events and metrics.
///
/// `TierError.unavailable` with such an error is reported as `unavailable.NAME`, other errors as
/// `unavailable`.
public protocol TierEngineError: Error {
    /// One of a small number of names, without text of the engine.
    var eventName: String { get }
}
