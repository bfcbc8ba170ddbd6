import Foundation
import KingfisherConcurrency
import KingfisherStorage
import Synchronization

/// A string that compares by its UTF-8 bytes, as cache keys do in memory and on disk.
package struct BytewiseString: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// The identity of a value of unknown type, such as a user's serializer or provider.
///
/// Two identities are equal if the values are equal and `Hashable`, are the same object, or are of one type
/// without stored properties. Any other value equals only copies of its identity. The `==` and `hash` of
/// users run when an identity is made, never when identities are compared, which may happen under a lock.
struct ValueIdentity: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case stateless
        /// The serializer of most requests. A token would cost 14,000 instructions.
        case defaultSerializer(DefaultCacheSerializer)
        case object(ObjectIdentifier)
        case unknown(UInt64)
    }

    private static let lastUnknown = Atomic<UInt64>(0)

    private let type: ObjectIdentifier
    private let kind: Kind
    /// Retains the object whose address is in `kind`, so that no other object gets that address.
    private let retained: (any Sendable)?

    init<Value: Sendable>(_ value: Value) {
        type = ObjectIdentifier(Value.self)
        if let serializer = value as? DefaultCacheSerializer {
            kind = .defaultSerializer(serializer)
            retained = nil
        } else if let token = EqualValues.shared.token(for: value) {
            kind = .object(ObjectIdentifier(token))
            retained = token
        } else if Value.self is AnyClass {
            kind = .object(ObjectIdentifier(value as AnyObject))
            retained = value
        } else {
            kind =
                MemoryLayout<Value>.size == 0
                ? .stateless : .unknown(Self.lastUnknown.wrappingAdd(1, ordering: .relaxed).newValue)
            retained = nil
        }
    }

    static func == (one: Self, other: Self) -> Bool {
        one.type == other.type && one.kind == other.kind
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(kind)
    }
}

/// Maps equal `Hashable` values to one token object, so that they can be compared by its address.
///
/// The table holds tokens weakly. Hashing and comparing call code of users, outside the lock. Safe from any
/// thread.
final class EqualValues: Sendable {
    final class Token: Sendable {
        fileprivate let value: any Sendable

        fileprivate init(_ value: any Sendable) { self.value = value }
    }

    private struct Key: Hashable, Sendable {
        let type: ObjectIdentifier
        let hash: Int
    }

    static let shared = EqualValues()

    private let tokens = WeakTable<Key, Token, Void>(leastEntries: 16)

    var count: Int { tokens.count }

    func token<Value: Sendable>(for value: Value) -> Token? {
        guard let hashable = Self.hashable(value) else { return nil }
        let key = Key(type: ObjectIdentifier(Value.self), hash: hashable.hashValue)
        if let known = first(equalTo: hashable, forKey: key) { return known }
        let token = Token(value)
        tokens.update(token, forKey: key) { _ in }
        // If several threads added tokens for equal values, all of them use the first one.
        return first(equalTo: hashable, forKey: key) ?? token
    }

    private func first(equalTo value: AnyHashable, forKey key: Key) -> Token? {
        tokens.entries(forKey: key).first { Self.hashable($0.object.value) == value }?.object
    }

    private static func hashable(_ value: any Sendable) -> AnyHashable? {
        (value as? any Hashable).map { AnyHashable($0) }
    }
}

enum ComparableExpiration: Hashable {
    case storageDefault, never, expired
    case seconds(TimeInterval)
    case date(Date)

    init(_ expiration: StorageExpiration?) {
        self =
            switch expiration {
            case nil: .storageDefault
            case .never?: .never
            case .expired?: .expired
            case .date(let date)?: .date(date)
            case .seconds(let seconds)?: .seconds(seconds)
            case .days(let days)?: .seconds(86_400 * TimeInterval(days))
            }
    }
}
