public import Foundation
import KingfisherStorage
import KingfisherTransport

/// An encoded image with what is known of it.
public struct TierEntry: Sendable, Hashable {
    /// The file, as the cache serializer made it.
    public let data: Data
    /// XXH3-64 of `data`, as it was when the entry was made.
    public let checksum: UInt64
    /// The media type of the file, such as `image/jpeg`; nil where no registered codec reads it.
    public let mediaType: String?
    /// When the entry was made.
    public let created: Date
    /// When the entry must not be used any more; `Date.distantFuture` for never.
    public let expiration: Date
    /// What the image's server has said about its freshness, with its validators, in the disk cache's
    /// encoding; nil without `.httpCaching`. Kept as it is.
    public let validators: Data?
    /// The tags of the request that made the entry.
    public let tags: [String]

    /// - Parameter checksum: nil to compute it; a tier passes the one that was written.
    public init(
        data: Data, checksum: UInt64? = nil, mediaType: String? = nil, created: Date = Date(),
        expiration: Date = .distantFuture, validators: Data? = nil, tags: [String] = []
    ) {
        self.data = data
        self.checksum = checksum ?? Checksum.of(data)
        self.mediaType = mediaType
        self.created = created
        self.expiration = expiration
        self.validators = validators
        self.tags = tags
    }

    /// Whether the bytes are those that the entry was made of. Reads all of them.
    public var isIntact: Bool { Checksum.of(data) == checksum }
}

extension TierEntry {
    /// What the server has said, and where redirects on the way have limited it.
    var freshness: HTTPFreshness? {
        validators.flatMap { EntryRecord.read(Array($0)) }.flatMap { HTTPFreshness($0) }
    }

    static func validators(_ freshness: HTTPFreshness?) -> Data? {
        (freshness?.records).map { Data($0.flatMap(\.encoded)) }
    }
}
