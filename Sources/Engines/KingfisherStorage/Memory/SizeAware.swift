/// Prefers entries that save the most work for their size: often used ones and, at equal use, small ones.
///
/// New entries enter a small queue, so that entries used once evict nothing that is in use (S3-FIFO: Yang,
/// Zhang, Qiu, Yue, Vinayak: "FIFO queues are all you need for cache eviction", SOSP 2023).
/// Entries that are used again, in the queue or soon after their eviction, enter a main part ordered by
/// GreedyDual (Cao, Irani: "Cost-aware WWW proxy caching algorithms", 1997). The priority of an entry is the
/// clock at its last use plus, for each use, the cost of a miss per byte. A miss costs a fixed amount, worth
/// 200 KB of pixels, plus the pixels of the image. So small images are worth more per byte but, unlike in
/// policies that count hits alone, a big bitmap is not evicted just because it is big. The clock is the
/// highest priority that was evicted, so unused entries fall behind.
///
/// `AdaptiveShare` adapts the length of the small queue to what returns after its eviction.
///
/// A read stores a counter and a time; priorities are updated when they are compared. `admit` is O(1), other
/// operations are O(log n), amortised.
@usableFromInline
package struct SizeAware: EvictionPolicy {
    @usableFromInline
    struct Entry: Sendable {
        @usableFromInline var lastUse = 0
        var weight = 0
        var hash: UInt32 = 0
        @usableFromInline var uses: UInt8 = 0

        @inlinable
        mutating func use(at time: Int) {
            lastUse = time
            uses = min(uses &+ 1, SizeAware.mostUses)
        }
    }

    @usableFromInline static var mostUses: UInt8 { 15 }

    /// The cost of a miss per byte, in clock steps. Each use is also one step: it breaks ties by recency and
    /// is negligible otherwise.
    private static let unit = 1 << 16
    /// The fixed cost of a miss, in bytes of pixels.
    private static let fixedCost = 200_000
    /// The minimum size for priorities: nodes also take memory, and the clock must be able to pass every
    /// entry.
    private static let leastSize = 1024
    private static let clockLimit = 1 << 61

    @usableFromInline var entries: [Entry] = []
    @usableFromInline var clock: Int
    private var small = NodeList()
    private var main = NodeHeap()
    private var smallWeight = 0
    private var mainWeight = 0
    private var share = AdaptiveShare()
    private var ghosts = GhostTable()

    @usableFromInline
    package init() {
        self.init(clock: 0)
    }

    init(clock: Int) {
        self.clock = clock
    }

    @usableFromInline
    package mutating func admit(_ node: Int, hash: UInt32, cost: Int) {
        while entries.count <= node { entries.append(Entry()) }
        let total = smallWeight + mainWeight
        let weight = EvictionWeight.of(cost: cost)
        entries[node] = Entry(weight: weight, hash: hash)
        guard let origin = ghosts.recall(hash, reach: 2 * total) else {
            small.insert(node)
            smallWeight += weight
            return
        }
        share.noteReturn(to: origin, weight: weight, total: total)
        promote(node)
    }

    @inlinable
    package mutating func access(_ node: Int) {
        clock += 1
        entries[node].use(at: clock)
    }

    @usableFromInline
    package mutating func update(_ node: Int, cost: Int) {
        let weight = EvictionWeight.of(cost: cost)
        let change = weight - entries[node].weight
        entries[node].weight = weight
        access(node)
        if main.contains(node) {
            mainWeight += change
            // A priority in the heap may be too low but never too high, as it would be after the value has
            // grown.
            main.change(node, priority: priority(of: node))
        } else {
            smallWeight += change
        }
    }

    @usableFromInline
    package mutating func remove(_ node: Int) {
        if main.contains(node) {
            main.remove(node)
            mainWeight -= entries[node].weight
        } else {
            small.remove(node)
            smallWeight -= entries[node].weight
        }
    }

    @usableFromInline
    package mutating func evict() -> Int? {
        while true {
            if isSmallDue, let node = small.oldest {
                guard entries[node].uses > 0 else {
                    evict(node, from: .small)
                    return node
                }
                remove(node)
                promote(node)
            } else if let lowest = main.lowest {
                let priority = priority(of: lowest.node)
                guard priority > lowest.priority else {
                    evict(lowest.node, from: .main)
                    advance(to: priority)
                    return lowest.node
                }
                main.change(lowest.node, priority: priority)
            } else {
                return nil
            }
        }
    }

    @usableFromInline
    package var outlook: EvictionOutlook? {
        mutating get { isSmallDue ? small.outlook : main.outlook }
    }

    private var isSmallDue: Bool {
        !small.isEmpty && (main.isEmpty || smallWeight > share.of(smallWeight + mainWeight))
    }

    @usableFromInline
    package func prefetch(_ outlook: EvictionOutlook) {
        ghosts.prefetch(entries[outlook.next].hash)
        Prefetch.element(outlook.later, of: entries)
        small.prefetch(outlook.later)
    }

    private mutating func evict(_ node: Int, from origin: GhostTable.Origin) {
        let entry = entries[node]
        share.noteEviction(from: origin, weight: entry.weight, total: smallWeight + mainWeight)
        // Not earlier: a cache that never evicts needs no ghosts.
        ghosts.makeRoom(forNodes: entries.count)
        ghosts.remember(entry.hash, weight: entry.weight, from: origin)
        remove(node)
    }

    /// Moves a node to the main part with one use. Reads soon after the store count as one.
    private mutating func promote(_ node: Int) {
        clock += 1
        entries[node].uses = 1
        entries[node].lastUse = clock
        mainWeight += entries[node].weight
        main.insert(node, priority: priority(of: node))
    }

    private func priority(of node: Int) -> Int {
        let entry = entries[node]
        let worth = Self.unit + Self.unit * Self.fixedCost / max(entry.weight, Self.leastSize)
        return entry.lastUse + Int(entry.uses) * worth
    }

    /// Advances the clock. Before it could overflow, resets it and lowers all times by the same amount.
    private mutating func advance(to time: Int) {
        clock = max(clock, time)
        guard clock >= Self.clockLimit else { return }
        main.lowerAll(by: clock)
        // Wrapping, for vacant nodes: their times are never read.
        for node in entries.indices { entries[node].lastUse &-= clock }
        clock = 0
    }
}
