/// A value that knows its share of a memory cache's cost limit.
public protocol CacheCostCalculable {
    /// The cost, in bytes of memory if the limit is in bytes. A negative cost counts as zero.
    var cacheCost: Int { get }
}
