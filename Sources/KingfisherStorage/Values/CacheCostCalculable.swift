/// A value that knows its share of a memory cache's cost limit.
public protocol CacheCostCalculable {
    /// The cost, in bytes of memory where the limit is in bytes; a negative one counts as zero.
    var cacheCost: Int { get }
}
