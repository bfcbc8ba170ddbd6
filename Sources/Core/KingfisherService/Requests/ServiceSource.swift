public import Foundation
import Kingfisher
import KingfisherDigests

/// Where the image of a request is.
public enum ServiceSource: Hashable, Sendable {
    /// An absolute `http` or `https` URL: lower-case ASCII host, no user information, no fragment, no dot
    /// segments, and percent-encoding wherever a URL needs it.
    case http(URL)
    /// An object of a bucket; the key is not percent-encoded.
    case s3(bucket: String, key: String, versionID: String?)
    /// A file of the service's folder: a relative path without empty or dot segments, not percent-encoded.
    case local(path: String)
    /// The body of a POST request.
    case upload
}

extension ServiceSource {
    /// Keys and paths are equal if their bytes are: Unicode equivalence makes one string of two files.
    public static func == (one: ServiceSource, other: ServiceSource) -> Bool {
        switch (one, other) {
        case (.http(let one), .http(let other)): one == other
        case (.s3(let bucket, let key, let version), .s3(let otherBucket, let otherKey, let otherVersion)):
            ByteText.areEqual(bucket, otherBucket) && ByteText.areEqual(key, otherKey)
                && version.map { BytewiseString($0) } == otherVersion.map { BytewiseString($0) }
        case (.local(let one), .local(let other)): ByteText.areEqual(one, other)
        case (.upload, .upload): true
        default: false
        }
    }

    /// The tag of everything that is cached of this source, in all versions and sizes; nil for an upload.
    ///
    /// No tag of a URL has a colon.
    public var cacheTag: String? { name.map { "u:\(SHA256.hexDigest(of: $0))" } }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.map { BytewiseString($0) })
    }
}
