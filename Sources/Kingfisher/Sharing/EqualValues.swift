import Synchronization

/// Gives equal `Hashable` values one object, as long as somebody holds it, so that they can be
/// told apart by address.
///
/// Hashing and comparing are the values' own code and run outside the lock: candidates are taken out under it
/// and compared, until none has come in the meantime. Safe from any thread.
final class EqualValues: Sendable {
    /// Stands for a value and all that are equal to it.
    final class Token: Sendable {
        fileprivate let value: any Sendable
        private let place: Place
        private let number: Int
        private let owner: EqualValues

        fileprivate init(_ value: any Sendable, _ place: Place, _ number: Int, _ owner: EqualValues) {
            self.value = value
            self.place = place
            self.number = number
            self.owner = owner
        }

        /// The value itself is released after this, outside the lock.
        deinit { owner.remove(number, from: place) }
    }

    fileprivate struct Place: Hashable, Sendable {
        let type: ObjectIdentifier
        let hash: Int
    }

    private struct Reference: Sendable {
        let number: Int
        weak var token: Token?
    }

    private struct State: Sendable {
        var references: [Place: [Reference]] = [:]
        var lastNumber = 0
    }

    static let shared = EqualValues()

    private let state = Mutex(State())

    /// The number of tokens that somebody holds.
    var count: Int { state.withLock { $0.references.values.reduce(0) { $0 + $1.count } } }

    /// The token of `value`; nil where its type is not `Hashable`.
    func token<Value: Sendable>(for value: Value) -> Token? {
        guard let hashable = Self.hashable(value) else { return nil }
        let place = Place(type: ObjectIdentifier(Value.self), hash: hashable.hashValue)
        var lastCompared = 0
        while true {
            // Tokens leave the lock alive: the last reference to one must not end under it.
            let (candidates, isNew, lastNumber) = state.withLock { state -> ([Token], Bool, Int) in
                let references = (state.references[place] ?? []).filter { $0.number > lastCompared }
                let candidates = references.compactMap(\.token)
                guard candidates.isEmpty else { return (candidates, false, state.lastNumber) }
                state.lastNumber += 1
                let token = Token(value, place, state.lastNumber, self)
                state.references[place, default: []].append(Reference(number: state.lastNumber, token: token))
                return ([token], true, state.lastNumber)
            }
            if isNew { return candidates.first }
            if let equal = candidates.first(where: { Self.hashable($0.value) == hashable }) { return equal }
            lastCompared = lastNumber
        }
    }

    private func remove(_ number: Int, from place: Place) {
        state.withLock { state in
            state.references[place]?.removeAll { $0.number == number }
            if state.references[place]?.isEmpty == true { state.references[place] = nil }
        }
    }

    private static func hashable(_ value: any Sendable) -> AnyHashable? {
        (value as? any Hashable).map { AnyHashable($0) }
    }
}
