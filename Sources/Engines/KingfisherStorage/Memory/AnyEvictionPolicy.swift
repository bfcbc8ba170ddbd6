/// The eviction policy that a program has chosen.
///
/// It has one stored property for each policy instead of an enum: changing an enum payload in place copies
/// its arrays.
@usableFromInline
package struct AnyEvictionPolicy: Sendable {
    @usableFromInline
    package enum Kind: Sendable, CaseIterable {
        case leastRecentlyUsed
        case sizeAware
    }

    @usableFromInline let kind: Kind
    @usableFromInline var leastRecentlyUsed = LeastRecentlyUsed()
    @usableFromInline var sizeAware = SizeAware()

    package init(_ kind: Kind) {
        self.kind = kind
    }
}

extension AnyEvictionPolicy: EvictionPolicy {
    @usableFromInline
    package mutating func admit(_ node: Int, hash: UInt32, cost: Int) {
        switch kind {
        case .leastRecentlyUsed: leastRecentlyUsed.admit(node, hash: hash, cost: cost)
        case .sizeAware: sizeAware.admit(node, hash: hash, cost: cost)
        }
    }

    @inlinable
    package mutating func access(_ node: Int) {
        switch kind {
        case .leastRecentlyUsed: leastRecentlyUsed.access(node)
        case .sizeAware: sizeAware.access(node)
        }
    }

    @usableFromInline
    package mutating func update(_ node: Int, cost: Int) {
        switch kind {
        case .leastRecentlyUsed: leastRecentlyUsed.update(node, cost: cost)
        case .sizeAware: sizeAware.update(node, cost: cost)
        }
    }

    @usableFromInline
    package mutating func remove(_ node: Int) {
        switch kind {
        case .leastRecentlyUsed: leastRecentlyUsed.remove(node)
        case .sizeAware: sizeAware.remove(node)
        }
    }

    @usableFromInline
    package mutating func evict() -> Int? {
        switch kind {
        case .leastRecentlyUsed: leastRecentlyUsed.evict()
        case .sizeAware: sizeAware.evict()
        }
    }

    @usableFromInline
    package var outlook: EvictionOutlook? {
        mutating get {
            switch kind {
            case .leastRecentlyUsed: leastRecentlyUsed.outlook
            case .sizeAware: sizeAware.outlook
            }
        }
    }

    @usableFromInline
    package func prefetch(_ outlook: EvictionOutlook) {
        switch kind {
        case .leastRecentlyUsed: leastRecentlyUsed.prefetch(outlook)
        case .sizeAware: sizeAware.prefetch(outlook)
        }
    }
}
