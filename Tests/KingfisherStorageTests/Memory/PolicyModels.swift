@testable import KingfisherStorage

/// A reference implementation of a policy, on arrays with linear search.
protocol PolicyModel {
    init()
    mutating func admit(_ node: Int, hash: UInt32, cost: Int)
    mutating func access(_ node: Int)
    mutating func update(_ node: Int, cost: Int)
    mutating func remove(_ node: Int)
    mutating func evict() -> Int?
}

struct ModelEntry {
    let node: Int
    let hash: UInt32
    var weight: Int
    var uses = 0
    var priority = 0
}

extension [ModelEntry] {
    var weight: Int { reduce(0) { $0 + $1.weight } }

    func index(of node: Int) -> Int? { firstIndex { $0.node == node } }

    mutating func take(_ node: Int) -> ModelEntry? { index(of: node).map { remove(at: $0) } }
}

/// The size-aware policy with priorities that are updated at each use, and a linear search for the lowest.
struct SizeAwareModel: PolicyModel {
    private var small: [ModelEntry] = []
    private var main: [ModelEntry] = []
    private var clock = 0
    private var ghosts = GhostTable()
    private var share = AdaptiveShare()
    private var highestNode = -1

    private var total: Int { small.weight + main.weight }

    private func worth(_ entry: ModelEntry) -> Int {
        clock + entry.uses * (65_536 + 65_536 * 200_000 / max(1_024, entry.weight))
    }

    mutating func admit(_ node: Int, hash: UInt32, cost: Int) {
        highestNode = max(highestNode, node)
        ghosts.makeRoom(forNodes: highestNode + 1)
        let entry = ModelEntry(node: node, hash: hash, weight: max(1, cost))
        guard let origin = ghosts.recall(hash, reach: 2 * total) else {
            small.append(entry)
            return
        }
        share.noteReturn(to: origin, weight: entry.weight, total: total)
        promote(entry)
    }

    private mutating func promote(_ entry: ModelEntry) {
        clock += 1
        var entry = entry
        entry.uses = 1
        entry.priority = worth(entry)
        main.append(entry)
    }

    mutating func access(_ node: Int) {
        clock += 1
        if let index = small.index(of: node) { small[index].uses = min(15, small[index].uses + 1) }
        if let index = main.index(of: node) {
            main[index].uses = min(15, main[index].uses + 1)
            main[index].priority = worth(main[index])
        }
    }

    mutating func update(_ node: Int, cost: Int) {
        if let index = small.index(of: node) { small[index].weight = max(1, cost) }
        if let index = main.index(of: node) { main[index].weight = max(1, cost) }
        access(node)
    }

    mutating func remove(_ node: Int) {
        _ = small.take(node)
        _ = main.take(node)
    }

    mutating func evict() -> Int? {
        while let oldest = small.first, main.isEmpty || small.weight > share.of(total) {
            if oldest.uses == 0 {
                share.noteEviction(from: .small, weight: oldest.weight, total: total)
                ghosts.remember(oldest.hash, weight: oldest.weight, from: .small)
                return small.removeFirst().node
            }
            promote(small.removeFirst())
        }
        guard let lowest = main.min(by: { ($0.priority, $0.node) < ($1.priority, $1.node) }) else {
            return nil
        }
        share.noteEviction(from: .main, weight: lowest.weight, total: total)
        ghosts.remember(lowest.hash, weight: lowest.weight, from: .main)
        clock = max(clock, lowest.priority)
        return main.take(lowest.node)?.node
    }
}
