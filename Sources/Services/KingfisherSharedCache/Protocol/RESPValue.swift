public import Foundation

/// A reply of a server in RESP3.
///
/// Maps are arrays of alternating keys and values; sets are arrays.
public enum RESPValue: Sendable, Hashable {
    /// A simple string, or a big number.
    case text(String)
    /// An error: a code, a space and a message.
    case error(String)
    /// A 64-bit integer.
    case integer(Int64)
    /// A string of bytes.
    case bytes(Data)
    /// A floating-point number.
    case double(Double)
    /// A Boolean.
    case boolean(Bool)
    /// No value.
    case null
    /// Several values.
    case array([RESPValue])
    /// A message that answers no command. `NIORedisClient` drops these.
    case push([RESPValue])
    /// A string of more bytes than the limit. Its bytes were skipped.
    case oversized(bytes: Int)
}

extension RESPValue {
    /// The value of a short string of either kind.
    var string: String? {
        switch self {
        case .text(let text): text
        case .bytes(let data): String(bytes: data, encoding: .utf8)
        default: nil
        }
    }
}
