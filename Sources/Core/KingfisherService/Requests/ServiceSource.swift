public import Foundation

/// Where the image of a request is.
public enum ServiceSource: Hashable, Sendable {
    /// An absolute `http` or `https` URL: lower-case ASCII host, no user information, no fragment, and percent
    /// encoding wherever a URL needs it.
    case http(URL)
    /// An object of a bucket; the key is not percent-encoded.
    case s3(bucket: String, key: String, versionID: String?)
    /// A file of the service's folder: a relative path without empty or dot segments, not percent-encoded.
    case local(path: String)
    /// The body of a POST request.
    case upload
}
