public import Foundation

/// A file format of images.
///
/// A struct rather than an enum, because other packages add formats of their own; a `switch` needs a
/// `default`.
public struct ImageFormat: Hashable, Sendable, CustomStringConvertible {
    /// The format's name, upper case.
    public let name: String

    /// Names a format.
    public init(name: String) {
        self.name = name
    }

    /// Bytes that no registered codec knows.
    public static let unknown = ImageFormat(name: "unknown")
    /// Portable Network Graphics.
    public static let PNG = ImageFormat(name: "PNG")
    /// An animated PNG: a PNG file to programs that know no animation.
    public static let APNG = ImageFormat(name: "APNG")
    /// JPEG in any wrapping (JFIF, EXIF, bare).
    public static let JPEG = ImageFormat(name: "JPEG")
    /// Graphics Interchange Format.
    public static let GIF = ImageFormat(name: "GIF")

    public var description: String { name }
}

extension Data: KingfisherCompatibleValue {}

extension KingfisherWrapper where Base == Data {
    /// The format that the bytes' signature tells; `.unknown` for eight bytes or fewer.
    public var imageFormat: ImageFormat {
        ImageCodecs.codec(for: base)?.format ?? .unknown
    }
}
