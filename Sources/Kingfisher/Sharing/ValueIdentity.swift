import Synchronization

/// Tells whether two values of types unknown here are known to be alike: those of users' own serializers and
/// providers, for example.
///
/// Equal values of a `Hashable` type are, so is an object and itself, and so are any two values of a type without
/// stored properties. Anything else is like nothing but the identity that was made of it.
struct ValueIdentity: Hashable, Sendable {
    private enum Kind: Hashable, Sendable {
        case value, stateless, instance
        case unknown(UInt64)
    }

    private static let lastUnknown = Atomic<UInt64>(0)

    /// Kept, so that no other object can have its address.
    private let value: any Sendable
    private let type: ObjectIdentifier
    private let kind: Kind

    init<Value: Sendable>(_ value: Value) {
        self.value = value
        type = ObjectIdentifier(Value.self)
        kind =
            if value is any Hashable {
                .value
            } else if Value.self is AnyClass {
                .instance
            } else if MemoryLayout<Value>.size == 0 {
                .stateless
            } else {
                .unknown(Self.lastUnknown.wrappingAdd(1, ordering: .relaxed).newValue)
            }
    }

    static func == (one: Self, other: Self) -> Bool {
        guard one.type == other.type, one.kind == other.kind else { return false }
        switch one.kind {
        case .value: return one.hashable == other.hashable
        case .instance: return one.object == other.object
        case .stateless, .unknown: return true
        }
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        hasher.combine(kind)
        switch kind {
        case .value: hasher.combine(hashable)
        case .instance: hasher.combine(object)
        case .stateless, .unknown: break
        }
    }

    private var hashable: AnyHashable? { (value as? any Hashable).map { AnyHashable($0) } }

    private var object: ObjectIdentifier { ObjectIdentifier(value as AnyObject) }
}
