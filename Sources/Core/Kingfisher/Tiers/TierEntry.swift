public import Foundation
import KingfisherStorage
import KingfisherTransport

/// An encoded image with its metadata.
public struct TierEntry: Sendable, Hashable {
    /// The file, as the cache serializer encoded it.
    public let data: Data
    /// The XXH3-64 checksum of `data` when the entry was made.
    public let checksum: UInt64
    /// The media type of the file, such as `image/jpeg`; nil if no registered codec reads it.
    public let mediaType: String?
    /// When the entry was made.
    public let created: Date
    /// When the entry expires; `Date.distantFuture` for never.
    public let expiration: Date
    /// The HTTP freshness and validators of the image, in the disk cache's encoding; nil without
    /// `.httpCaching`. A tier stores them unchanged.
    public let validators: Data?
    /// The tags of the request that made the entry.
    public let tags: [String]

    /// Makes an entry.
    ///
    /// - Parameter checksum: The checksum that was written; nil to compute it from `data`.
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

    /// Whether `data` matches the checksum. Reads all bytes.
    public var isIntact: Bool { Checksum.of(data) == checksum }
}

extension TierEntry {
    var freshness: HTTPFreshness? {
        validators.flatMap { EntryRecord.read(Array($0)) }.flatMap { HTTPFreshness($0) }
    }

    static func validators(_ freshness: HTTPFreshness?) -> Data? {
        // Another machine has other versions of its files.
        guard let freshness, freshness.fileVersion == nil else { return nil }
        return Data(freshness.records.flatMap(\.encoded))
    }
}
