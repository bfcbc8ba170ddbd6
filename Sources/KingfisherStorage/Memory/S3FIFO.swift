/// Separates entries that are used once from entries that are used again, with two queues that move only at
/// eviction.
///
/// S3-FIFO (Yang, Zhang, Qiu, Yue, Vinayak: "FIFO queues are all you need for cache eviction", SOSP 2023).
/// New entries enter a small queue, a tenth of the total, and are evicted early unless they were read more
/// than once. In that case, or if they return soon after their eviction, they enter the main queue, where
/// each counted use (at most three) earns another pass. Shares are measured in cost at the time of the
/// eviction. A read increments a counter; every operation is O(1) amortised.
@usableFromInline
package struct S3FIFO: EvictionPolicy {
    @usableFromInline
    struct Entry: Sendable {
        var weight = 0
        var hash: UInt32 = 0
        @usableFromInline var uses: UInt8 = 0
        var isInMain = false

        @inlinable
        mutating func use() {
            uses = min(uses &+ 1, S3FIFO.mostUses)
        }
    }

    @usableFromInline static var mostUses: UInt8 { 3 }

    @usableFromInline var entries: [Entry] = []
    private var small = NodeList()
    private var main = NodeList()
    private var smallWeight = 0
    private var mainWeight = 0
    private var ghosts = GhostTable()

    @usableFromInline
    package init() {}

    @usableFromInline
    package mutating func admit(_ node: Int, hash: UInt32, cost: Int) {
        while entries.count <= node { entries.append(Entry()) }
        let returns = ghosts.recall(hash, reach: smallWeight + mainWeight) != nil
        entries[node] = Entry(weight: EvictionWeight.of(cost: cost), hash: hash, isInMain: returns)
        if returns { insertInMain(node) } else { insertInSmall(node) }
    }

    @inlinable
    package mutating func access(_ node: Int) {
        entries[node].use()
    }

    @usableFromInline
    package mutating func update(_ node: Int, cost: Int) {
        let weight = EvictionWeight.of(cost: cost)
        if entries[node].isInMain {
            mainWeight += weight - entries[node].weight
        } else {
            smallWeight += weight - entries[node].weight
        }
        entries[node].weight = weight
        access(node)
    }

    @usableFromInline
    package mutating func remove(_ node: Int) {
        if entries[node].isInMain { removeFromMain(node) } else { removeFromSmall(node) }
    }

    @usableFromInline
    package mutating func evict() -> Int? {
        while true {
            if isSmallDue, let node = small.oldest {
                removeFromSmall(node)
                guard entries[node].uses > 1 else {
                    ghosts.makeRoom(forNodes: entries.count)
                    ghosts.remember(entries[node].hash, weight: entries[node].weight, from: .small)
                    return node
                }
                entries[node].uses = 0
                insertInMain(node)
            } else if let node = main.oldest {
                guard entries[node].uses > 0 else {
                    removeFromMain(node)
                    return node
                }
                entries[node].uses -= 1
                main.renew(node)
            } else {
                return nil
            }
        }
    }

    @usableFromInline
    package var outlook: EvictionOutlook? {
        mutating get { isSmallDue ? small.outlook : main.outlook }
    }

    @usableFromInline
    package func prefetch(_ outlook: EvictionOutlook) {
        ghosts.prefetch(entries[outlook.next].hash)
        Prefetch.element(outlook.later, of: entries)
        small.prefetch(outlook.later)
    }

    private var isSmallDue: Bool {
        !small.isEmpty && (main.isEmpty || smallWeight > (smallWeight + mainWeight) / 10)
    }

    private mutating func insertInSmall(_ node: Int) {
        small.insert(node)
        smallWeight += entries[node].weight
    }

    private mutating func removeFromSmall(_ node: Int) {
        small.remove(node)
        smallWeight -= entries[node].weight
    }

    private mutating func insertInMain(_ node: Int) {
        entries[node].isInMain = true
        main.insert(node)
        mainWeight += entries[node].weight
    }

    private mutating func removeFromMain(_ node: Int) {
        main.remove(node)
        mainWeight -= entries[node].weight
    }
}
