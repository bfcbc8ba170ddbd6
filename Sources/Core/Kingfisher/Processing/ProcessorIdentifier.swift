import Foundation

/// Processor identifiers in the same form on every system, so that cached files can be moved between
/// machines.
///
/// `"\(CGSize)"` has another form on Linux than on Apple's systems; the latter is used.
enum ProcessorIdentifier {
    static func make(_ name: String, _ arguments: String) -> String {
        "com.onevcat.Kingfisher.\(name)(\(arguments))"
    }

    static func size(_ size: CGSize) -> String { "(\(size.width), \(size.height))" }

    static func point(_ point: CGPoint) -> String { "(\(point.x), \(point.y))" }
}
