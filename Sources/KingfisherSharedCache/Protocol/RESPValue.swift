public import Foundation

/// A reply of a server in RESP3.
///
/// Maps are arrays of alternating keys and values; sets are arrays.
public enum RESPValue: Sendable, Hashable {
    case text(String)
    case error(String)
    case integer(Int64)
    case bytes(Data)
    case double(Double)
    case boolean(Bool)
    case null
    case array([RESPValue])
    /// A message that answers no command.
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
