/// The version of this library, as in "1.2.3": semantic versioning, https://semver.org.
///
/// The single source of the version, used in the `User-Agent` of requests and in `kingfisher --version`.
public let kingfisherVersion = "0.2.0"
