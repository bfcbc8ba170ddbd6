import Foundation

/// Identifiers as every system writes them, so that a warmed cache moves between machines.
///
/// `"\(CGSize)"` reads differently on Linux and on Apple's systems; these are the latter's forms.
enum ProcessorIdentifier {
    /// `com.onevcat.Kingfisher.NAME(ARGUMENTS)`.
    static func make(_ name: String, _ arguments: String) -> String {
        "com.onevcat.Kingfisher.\(name)(\(arguments))"
    }

    static func size(_ size: CGSize) -> String { "(\(size.width), \(size.height))" }

    static func point(_ point: CGPoint) -> String { "(\(point.x), \(point.y))" }
}
