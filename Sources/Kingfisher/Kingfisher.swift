// `import Kingfisher` is enough: the modules below and Foundation's vocabulary come with it.
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import KingfisherImage
@_exported public import KingfisherStorage
@_exported public import KingfisherTransport

/// The name that code shared with Apple's systems uses for `Image`.
public typealias KFCrossPlatformImage = Image
/// The name that code shared with Apple's systems uses for `Color`.
public typealias KFCrossPlatformColor = Color

/// The namespace of sources, payloads and builders.
public enum KF {}
