import Foundation
import KingfisherConcurrency
import KingfisherStorage
import Synchronization

/// A text that is the same as another only if its bytes are, as a key is in memory and on the disk.
struct BytewiseString: Hashable, Sendable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (one: Self, other: Self) -> Bool {
        one.text.hasSameBytes(as: other.text)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

/// Tells whether two values of types unknown here are known to be alike: those of users' own serializers and
/// providers, for example.
///
/// Equal values of a `Hashable` type are, so is an object and itself, and so are any two values of
/// a type without stored properties. Anything else is like nothing but the identity that was made
/// of it. Users' `==` and `hash` run while an identity is made, and never when identities are
/// compared, which may be under a lock.
struct ValueIdentity: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case stateless
        /// The serializer of most requests; a token costs 14,000 instructions.
        case defaultSerializer(DefaultCacheSerializer)
        case object(ObjectIdentifier)
        case unknown(UInt64)
    }

    private static let lastUnknown = Atomic<UInt64>(0)

    private let type: ObjectIdentifier
    private let kind: Kind
    /// What `kind` names the address of: no other object can have it meanwhile.
    private let keeper: (any Sendable)?

    init<Value: Sendable>(_ value: Value) {
        type = ObjectIdentifier(Value.self)
        if let serializer = value as? DefaultCacheSerializer {
            kind = .defaultSerializer(serializer)
            keeper = nil
        } else if let token = EqualValues.shared.token(for: value) {
            kind = .object(ObjectIdentifier(token))
            keeper = token
        } else if Value.self is AnyClass {
            kind = .object(ObjectIdentifier(value as AnyObject))
            keeper = value
        } else {
            kind =
                MemoryLayout<Value>.size == 0
                ? .stateless : .unknown(Self.lastUnknown.wrappingAdd(1, ordering: .relaxed).newValue)
            keeper = nil
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

/// Gives equal `Hashable` values one object, as long as it is in use, so that they can be told apart by
/// address.
///
/// Hashing and comparing are the values' own code and run outside the lock of the table. Safe from any
/// thread.
final class EqualValues: Sendable {
    /// Stands for a value and all that are equal to it.
    final class Token: Sendable {
        fileprivate let value: any Sendable

        fileprivate init(_ value: any Sendable) { self.value = value }
    }

    private struct Place: Hashable, Sendable {
        let type: ObjectIdentifier
        let hash: Int
    }

    static let shared = EqualValues()

    private let tokens = WeakTable<Place, Token, Void>(leastEntries: 16)

    /// Tokens, those that are no longer in use included.
    var count: Int { tokens.count }

    /// The token of `value`; nil where its type is not `Hashable`.
    func token<Value: Sendable>(for value: Value) -> Token? {
        guard let hashable = Self.hashable(value) else { return nil }
        let place = Place(type: ObjectIdentifier(Value.self), hash: hashable.hashValue)
        if let known = first(equalTo: hashable, at: place) { return known }
        let token = Token(value)
        tokens.update(token, forKey: place) { _ in }
        // Of tokens that were added for equal values at the same time, all use the one that came first.
        return first(equalTo: hashable, at: place) ?? token
    }

    private func first(equalTo value: AnyHashable, at place: Place) -> Token? {
        tokens.entries(forKey: place).first { Self.hashable($0.object.value) == value }?.object
    }

    private static func hashable(_ value: any Sendable) -> AnyHashable? {
        (value as? any Hashable).map { AnyHashable($0) }
    }
}

/// An expiration that can be compared.
enum Lifetime: Hashable {
    case storagesOwn, never, expired
    case seconds(TimeInterval)
    case date(Date)

    init(_ expiration: StorageExpiration?) {
        self =
            switch expiration {
            case nil: .storagesOwn
            case .never?: .never
            case .expired?: .expired
            case .date(let date)?: .date(date)
            case .seconds(let seconds)?: .seconds(seconds)
            case .days(let days)?: .seconds(86_400 * TimeInterval(days))
            }
    }
}
