/// Which node has which hash slot.
struct ClusterMap: Sendable, Hashable {
    static let maximumNodes = 1000

    private(set) var nodes: [NodeAddress] = []
    private var slots = [UInt16](repeating: .max, count: HashSlot.count)

    init() {}

    /// Reads the reply of `CLUSTER SLOTS`; nil if it is malformed or names no node. Only primaries are used.
    init?(_ reply: RESPValue, from node: NodeAddress) {
        guard case .array(let ranges) = reply, !ranges.isEmpty else { return nil }
        for range in ranges {
            guard case .array(let parts) = range, parts.count >= 3,
                case .integer(let first) = parts[0], case .integer(let last) = parts[1],
                first >= 0, first <= last, last < HashSlot.count,
                let owner = Self.address(parts[2], from: node)
            else { return nil }
            for slot in Int(first)...Int(last) where !assign(slot, to: owner) { return nil }
        }
    }

    /// The nodes that have slots, in the order of their first one.
    var owners: [NodeAddress] {
        var seen: Set<UInt16> = [.max]
        return slots.compactMap { seen.insert($0).inserted ? nodes[Int($0)] : nil }
    }

    subscript(slot: Int) -> NodeAddress? {
        let owner = slots[slot]
        return owner == .max ? nil : nodes[Int(owner)]
    }

    /// Returns false if there are too many nodes.
    @discardableResult
    mutating func assign(_ slot: Int, to node: NodeAddress) -> Bool {
        // Ranges of one node often follow each other, and a map has few nodes.
        let index = nodes.lastIndex(of: node) ?? nodes.count
        guard index < Self.maximumNodes else { return false }
        if index == nodes.count { nodes.append(node) }
        slots[slot] = UInt16(index)
        return true
    }

    /// A node without a name, or with an unknown one, has the name under which it was asked.
    private static func address(_ value: RESPValue, from node: NodeAddress) -> NodeAddress? {
        guard case .array(let parts) = value, parts.count >= 2, case .integer(let port) = parts[1],
            let port = Int(exactly: port)
        else { return nil }
        let host = parts[0].string ?? ""
        return NodeAddress(host: host.isEmpty || host == "?" ? node.host : host, port: port)
    }
}
