public import Foundation

/// A file format of images.
///
/// A struct rather than an enum, because other packages add formats; a `switch` needs a `default`.
public struct ImageFormat: Hashable, Sendable, CustomStringConvertible {
    /// The format's name, upper case.
    public let name: String

    /// Creates a format with a name.
    public init(name: String) {
        self.name = name
    }

    /// The format of data that no registered codec recognizes.
    public static let unknown = ImageFormat(name: "unknown")
    /// Portable Network Graphics.
    public static let PNG = ImageFormat(name: "PNG")
    /// An animated PNG; programs without animation support read it as PNG.
    public static let APNG = ImageFormat(name: "APNG")
    /// JPEG in any container (JFIF, EXIF or none).
    public static let JPEG = ImageFormat(name: "JPEG")
    /// Graphics Interchange Format.
    public static let GIF = ImageFormat(name: "GIF")

    public var description: String { name }
}

extension Data: KingfisherCompatibleValue {}
