import Foundation

/// A typical LRU cache of Swift programs: a dictionary of objects, linked in the order of their last use,
/// with an `NSLock`. Without expiration.
final class DictionaryLRU<Value> {
    private final class Node {
        let key: String
        var value: Value
        var cost: Int
        var next: Node?
        /// The dictionary owns all nodes.
        unowned(unsafe) var previous: Node?

        init(key: String, value: Value, cost: Int) {
            self.key = key
            self.value = value
            self.cost = cost
        }
    }

    private let costLimit: Int
    private let lock = NSLock()
    private var nodes: [String: Node] = [:]
    private var newest: Node?
    private var oldest: Node?
    private var totalCost = 0

    init(costLimit: Int) {
        self.costLimit = costLimit
    }

    deinit {
        // One by one, because releasing a long chain is recursive.
        nodes = [:]
        while let node = newest { newest = node.next.take() }
    }

    func value(forKey key: String) -> Value? {
        lock.lock()
        defer { lock.unlock() }
        guard let node = nodes[key] else { return nil }
        if node !== newest {
            unlink(node)
            prepend(node)
        }
        return node.value
    }

    func store(_ value: Value, forKey key: String, cost: Int) {
        lock.lock()
        defer { lock.unlock() }
        if let node = nodes[key] {
            totalCost += cost - node.cost
            node.value = value
            node.cost = cost
            unlink(node)
            prepend(node)
        } else {
            let node = Node(key: key, value: value, cost: cost)
            nodes[key] = node
            totalCost += cost
            prepend(node)
        }
        while totalCost > costLimit, let node = oldest {
            unlink(node)
            nodes[node.key] = nil
            totalCost -= node.cost
        }
    }

    private func prepend(_ node: Node) {
        node.next = newest
        node.previous = nil
        newest?.previous = node
        newest = node
        if oldest == nil { oldest = node }
    }

    private func unlink(_ node: Node) {
        if oldest === node { oldest = node.previous }
        node.next?.previous = node.previous
        if let previous = node.previous {
            previous.next = node.next
        } else {
            newest = node.next
        }
    }
}
