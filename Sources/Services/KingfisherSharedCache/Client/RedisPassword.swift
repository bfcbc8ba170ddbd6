public import Foundation

/// A password that is never printed: its description and mirror are empty.
public struct RedisPassword: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The password itself, for authentication.
    public let secret: String

    /// Makes a password of a string.
    public init(_ secret: String) { self.secret = secret }

    /// Reads a file, without the line break at its end.
    public init(contentsOf file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        secret = String(text.prefix { !$0.isNewline })
    }

    /// A constant text.
    public var description: String { "<redacted>" }

    /// A constant text.
    public var debugDescription: String { description }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
