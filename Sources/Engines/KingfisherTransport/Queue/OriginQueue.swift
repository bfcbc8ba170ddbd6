/// The transfers of one origin in a ``TransferOrder``.
struct OriginQueue {
    let origin: Origin
    var waiting = IndexedHeap<TransferOrder.ID, TransferOrder.Rank>()
    /// When the next transfer may start; nil if that is not in the future.
    var due: MonotonicTime?
    var running = 0
    var outside = 0
    var ending = 0
    /// The number of waiting transfers with a limit.
    var limited = 0
    /// The number of the ``SharedHost``; nil unless the limit for all ports applies.
    var host: Int?

    var started: Int { running + outside + ending }
    var isIdle: Bool { started == 0 }
}

/// The origins with the same host and any scheme and port, in a ``TransferOrder``.
struct SharedHost {
    let name: String
    var origins = 0
    /// The number of transfers that have started and not finished.
    var started = 0
    /// The number of waiting transfers with a limit.
    var limited = 0
    /// The number of its origins that last used HTTP/2.
    var multiplexing = 0
    /// The queues of the host, ordered like the queues of other hosts in ``TransferOrder``.
    var ready = IndexedHeap<Int, TransferOrder.Rank>()
    var idle = IndexedHeap<Int, TransferOrder.Rank>()
}
