public import Foundation

/// A place that keeps encoded images under keys: another disk, a cache that several machines share, or one of
/// your own.
///
/// A manager asks its `tiers` in order when neither memory nor its disk has an image, before it goes to the
/// source; a hit is written to the places above it. New images are written to every tier after they were
/// delivered. A tier never makes a request fail: an error, a missed deadline or a damaged entry is a miss,
/// which `KingfisherEvent.tierMissed` reports.
///
/// A tier may give out leases, so that of several machines one makes an image: ``read(_:)`` then returns
/// `.absent` with a lease to the first and `.busy` to the others, who ask again for at most a second and then
/// make the image themselves. A lease is used once: for a write, or it is released.
///
/// All methods may be called from any thread, several at a time.
public protocol CacheTier: Sendable {
    /// What events call the tier.
    var name: String { get }

    /// Whether originals are kept, beside processed images; false by default.
    var keepsOriginals: Bool { get }

    /// How long a caller waits for each operation; 250 ms to read and 5 s to write by default.
    var deadlines: TierDeadlines { get }

    /// What the tier has under a key. The surrounding task is cancelled when no request waits any more, and
    /// when the deadline has passed.
    func read(_ key: TierKey) async throws(TierError) -> TierReading

    /// Keeps an entry in place of what is there.
    ///
    /// - Parameter lease: The lease that `read` gave for this key; nil for a write that needs none. A tier
    ///   refuses a lease that has been given to another caller meanwhile.
    func write(_ entry: TierEntry, for key: TierKey, lease: TierLease?) async throws(TierError)

    /// Removes what is there; nothing there is no error.
    func remove(_ key: TierKey) async throws(TierError)

    /// Gives back a lease that leads to no write, so that the next caller gets it.
    func release(_ lease: TierLease, for key: TierKey) async
}

extension CacheTier {
    public var keepsOriginals: Bool { false }

    public var deadlines: TierDeadlines { TierDeadlines() }
}

/// How long callers of a tier wait.
public struct TierDeadlines: Sendable, Hashable {
    public var read: Duration
    public var write: Duration

    public init(read: Duration = .milliseconds(250), write: Duration = .seconds(5)) {
        self.read = read
        self.write = write
    }
}

/// What an entry is kept under.
public struct TierKey: Sendable, Hashable {
    /// The source's cache key.
    public let cacheKey: String
    /// The identifier of the processor; empty for the image as it is, and for an original.
    public let processorIdentifier: String
    /// The extension that `forcedCacheFileExtension` has set, if any.
    public let fileExtension: String?

    public init(cacheKey: String, processorIdentifier: String = "", fileExtension: String? = nil) {
        self.cacheKey = cacheKey
        self.processorIdentifier = processorIdentifier
        self.fileExtension = fileExtension
    }

    /// All of it as one text, different for different keys.
    public var text: String {
        let key = cacheKey.computedKey(with: processorIdentifier)
        return fileExtension.map { "\(key)\u{0}\($0)" } ?? key
    }
}

/// What a tier has under a key.
public enum TierReading: Sendable {
    /// An entry that may be used.
    case hit(TierEntry)
    /// An entry that should be renewed. It is used at once; the caller that gets a lease makes a new one in
    /// the background.
    case stale(TierEntry, renewal: TierLease?)
    /// Nothing. A lease gives the right to make the entry.
    case absent(TierLease?)
    /// The source is known to have no image. The request goes on to other sources, or fails with
    /// `KingfisherError.ResourceErrorReason.knownFailure`.
    case negative(TierFailure)
    /// Another caller is making the entry.
    case busy
}

/// The right to write under a key.
public struct TierLease: Sendable, Hashable {
    /// What the tier knows the lease by.
    public let token: String

    public init(token: String) {
        self.token = token
    }
}

/// Why a source is known to have no image.
public struct TierFailure: Sendable, Hashable {
    /// The status of the server's response; nil where the response was no image.
    public let statusCode: Int?
    /// When the source may be asked again.
    public let expiration: Date

    public init(statusCode: Int?, expiration: Date) {
        self.statusCode = statusCode
        self.expiration = expiration
    }
}

/// Why a tier could not do what it was asked for.
public enum TierError: Error, Sendable {
    /// The tier cannot be reached, or does not work.
    case unavailable(any Error)
    /// What the tier has is not what was written.
    case corrupt
    /// The entry has more bytes than the tier keeps.
    case tooLarge(limit: Int)
    /// The lease belongs to another caller by now.
    case leaseLost
    /// The deadline has passed.
    case deadline
    /// The surrounding task was cancelled.
    case cancelled
}
