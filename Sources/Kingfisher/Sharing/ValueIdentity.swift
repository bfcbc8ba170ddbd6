import Synchronization

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
