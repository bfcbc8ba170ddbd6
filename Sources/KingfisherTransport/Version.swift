/// The version of this library, as in "1.2.3": semantic versioning, https://semver.org.
///
/// Everything that names a version takes it from here: the `User-Agent` of requests and
/// `kingfisher --version`.
public let kingfisherVersion = "0.1.0"
