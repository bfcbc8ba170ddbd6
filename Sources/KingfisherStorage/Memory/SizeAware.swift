/// Keeps what saves most work for its room: what is used often and, at equal use, what is small for its cost.
///
/// New entries pass a small queue, as in `S3FIFO`, so that what is looked at once drives out nothing that is
/// in use. What is used again, there or soon after it was evicted, enters a main part ordered by GreedyDual
/// (Cao, Irani: "Cost-aware WWW proxy caching algorithms", 1997): an entry's priority is the clock at its
/// last use and, for each use, what a miss costs for a byte of it. To bring an image back costs a fixed
/// part, worth as much as 200 KB of pixels, and its pixels; so small images are worth more by the byte,
/// but, unlike in policies that count hits alone, a big bitmap is not thrown out because it is big. The clock
/// is the highest priority that was evicted, so that entries which nobody uses any more fall behind.
///
/// How long the small queue is follows from what comes back after it was evicted; see `AdaptiveShare`.
///
/// A read is a counter and a time; priorities are brought up to date when they are looked at. `admit` is
/// O(1), the rest O(log n), amortised.
@usableFromInline
package struct SizeAware: EvictionPolicy {
    @usableFromInline
    struct Entry: Sendable {
        /// The clock at the last use.
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

    /// How many uses count.
    @usableFromInline static var mostUses: UInt8 { 15 }

    /// What a byte of a miss costs, in steps of the clock. Each use is a step as well: it settles ties by
    /// recency and weighs nothing beside this.
    private static let unit = 1 << 16
    /// The fixed cost of a miss, in bytes of pixels.
    private static let fixedCost = 200_000
    /// Entries below this size count as this size: their nodes take room, too, and the clock must get past.
    private static let leastSize = 1024
    /// How far the clock goes before it starts over.
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

    /// Starts at another time than zero.
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
            // A priority in the heap may lag behind, but must not be ahead, as it would be of a bigger value.
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
                    giveUp(node, from: .small)
                    return node
                }
                remove(node)
                promote(node)
            } else if let lowest = main.lowest {
                let priority = priority(of: lowest.node)
                guard priority > lowest.priority else {
                    giveUp(lowest.node, from: .main)
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

    /// Whether the small queue is longer than its share.
    private var isSmallDue: Bool {
        !small.isEmpty && (main.isEmpty || smallWeight > share.of(smallWeight + mainWeight))
    }

    @usableFromInline
    package func prefetch(_ outlook: EvictionOutlook) {
        ghosts.prefetch(entries[outlook.next].hash)
        Prefetch.element(outlook.later, of: entries)
        small.prefetch(outlook.later)
    }

    private mutating func giveUp(_ node: Int, from origin: GhostTable.Origin) {
        let entry = entries[node]
        share.noteEviction(from: origin, weight: entry.weight, total: smallWeight + mainWeight)
        // Not before: a cache that never evicts has no ghosts, and pays for none.
        ghosts.makeRoom(forNodes: entries.count)
        ghosts.remember(entry.hash, weight: entry.weight, from: origin)
        remove(node)
    }

    /// Enters the main part, as used once and just now: reads soon after the store count as one.
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

    /// Moves the clock on, and all times back together before it would overflow.
    private mutating func advance(to time: Int) {
        clock = max(clock, time)
        guard clock >= Self.clockLimit else { return }
        main.lowerAll(by: clock)
        // Wrapping, for nodes that nobody stands in: their times are never read, and fall behind for ever.
        for node in entries.indices { entries[node].lastUse &-= clock }
        clock = 0
    }
}
