/// The `kf` namespace of a value: every member that this library adds to a type stands behind it.
///
/// The wrapper only carries `base`; it adds no storage and no synchronisation of its own.
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
    /// Gets a namespace holder for the members that Kingfisher adds.
    public var kf: KingfisherWrapper<Self> {
        get { KingfisherWrapper(self) }
        // Nothing to keep; the setter is what lets users' own settable members of `kf` compile.
        set {}
    }
}

extension KingfisherCompatibleValue {
    /// Gets a namespace holder for the members that Kingfisher adds.
    public var kf: KingfisherWrapper<Self> {
        KingfisherWrapper(self)
    }
}

/// For members of the program's own, such as one that makes a URL of a path.
extension String: KingfisherCompatibleValue {}
