// So that `import Kingfisher` is enough for users.
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import KingfisherImage
@_exported public import KingfisherStorage
@_exported public import KingfisherTransport

/// The name of `Image` in code that is shared with Apple platforms.
public typealias KFCrossPlatformImage = Image
/// The name of `Color` in code that is shared with Apple platforms.
public typealias KFCrossPlatformColor = Color

/// A namespace for sources, payloads and builders.
public enum KF {}
