import Synchronization

/// Counts the images that come into a cache, so that a request that has looked there in vain can tell whether
/// another look is worth while: under the lock of whatever makes requests share work, too. Safe from any
/// thread.
final class CacheArrivals: Sendable {
    /// What had come by some moment.
    struct Mark: Sendable {
        fileprivate let arrivals: CacheArrivals
        fileprivate let count: UInt64

        /// Whether nothing has come since.
        var isCurrent: Bool { arrivals.count == count }
    }

    private let total = Atomic<UInt64>(0)

    /// How many have come. To be asked before the cache is looked up.
    var count: UInt64 { total.load(ordering: .acquiring) }

    /// The mark of this moment.
    var mark: Mark { mark(at: count) }

    /// The mark of the moment when so many had come.
    func mark(at count: UInt64) -> Mark { Mark(arrivals: self, count: count) }

    /// Notes an image that can be found from now on.
    func note() { total.add(1, ordering: .acquiringAndReleasing) }
}
