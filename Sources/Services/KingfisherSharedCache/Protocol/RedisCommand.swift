public import Foundation

/// A command with its arguments.
///
/// Its description has the name only, because arguments may be passwords.
public struct RedisCommand: Sendable, CustomStringConvertible, CustomReflectable {
    /// One argument.
    public enum Argument: Sendable, Hashable, ExpressibleByStringLiteral {
        /// UTF-8 text.
        case text(String)
        /// Bytes.
        case data(Data)
        /// A number, sent as decimal digits.
        case integer(Int64)

        /// Makes an argument of a literal text.
        public init(stringLiteral value: String) { self = .text(value) }
    }

    /// The name, such as `GET`.
    public let name: String
    /// The arguments after the name, including keys.
    public let arguments: [Argument]
    /// The key whose hash slot selects the node of a cluster; nil if any node can run the command. All keys
    /// of a command have the same hash tag.
    public let key: String?

    /// Makes a command.
    public init(_ name: String, _ arguments: [Argument] = [], key: String? = nil) {
        self.name = name
        self.arguments = arguments
        self.key = key
    }

    /// The name, without the arguments.
    public var description: String { name }

    /// A mirror with the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }

    /// The bytes to send: an array of strings.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(arguments.reduce(32 + name.utf8.count) { $0 + $1.reserve })
        Self.append("*", arguments.count + 1, to: &bytes)
        Self.append(name.utf8, to: &bytes)
        for argument in arguments {
            switch argument {
            case .text(let text): Self.append(text.utf8, to: &bytes)
            case .data(let data): Self.append(data, to: &bytes)
            case .integer(let number): Self.append(String(number).utf8, to: &bytes)
            }
        }
        return bytes
    }

    private static func append(_ value: some Collection<UInt8>, to bytes: inout [UInt8]) {
        append("$", value.count, to: &bytes)
        bytes.append(contentsOf: value)
        bytes.append(contentsOf: "\r\n".utf8)
    }

    /// A line of a type and a number. Digits are written one by one, because this runs for every argument.
    private static func append(_ type: Unicode.Scalar, _ number: Int, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: type))
        var divisor = 1
        while number / divisor >= 10 { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
        bytes.append(contentsOf: "\r\n".utf8)
    }
}

extension RedisCommand.Argument {
    fileprivate var reserve: Int {
        switch self {
        case .text(let text): text.utf8.count + 24
        case .data(let data): data.count + 24
        case .integer: 40
        }
    }
}
