import KingfisherConcurrency

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
