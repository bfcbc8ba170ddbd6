/// The `kf` namespace of a value, which holds every member that this library adds to a type.
///
/// The wrapper only carries `base`; it adds no storage and no synchronisation.
public struct KingfisherWrapper<Base> {
    /// The wrapped value.
    public let base: Base

    /// Wraps `base`; user code writes `value.kf` instead.
    public init(_ base: Base) {
        self.base = base
    }
}

extension KingfisherWrapper: Sendable where Base: Sendable {}

/// A class that has a `kf` namespace.
public protocol KingfisherCompatible: AnyObject {}

/// A value type that has a `kf` namespace.
public protocol KingfisherCompatibleValue {}

extension KingfisherCompatible {
    /// The members that Kingfisher adds.
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        // The empty setter lets programs declare settable members in extensions of `kf`.
        set {}
    }
}

extension KingfisherCompatibleValue {
    /// The members that Kingfisher adds.
    public var kf: KingfisherWrapper<Self> {
        KingfisherWrapper(self)
    }
}

/// For members that programs add, such as one that makes a URL from a path.
extension String: KingfisherCompatibleValue {}
