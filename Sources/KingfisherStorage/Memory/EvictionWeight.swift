/// What a cost counts where policies share out room.
///
/// At least 1, so that entries without a cost are shared out by their number; at most 64 GiB, so that no sum
/// over all entries can overflow.
enum EvictionWeight {
    static func of(cost: Int) -> Int {
        min(max(1, cost), 1 << 36)
    }
}
