/// Which node has which hash slot.
struct ClusterMap: Sendable, Hashable {
    static let maximumNodes = 1000

    private(set) var nodes: [NodeAddress] = []
    /// The positions of `nodes`.
    private var indices: [NodeAddress: UInt16] = [:]
    private var slots = [UInt16](repeating: .max, count: HashSlot.count)

    init() {}

    /// Reads the reply of `CLUSTER SLOTS`; nil if it is malformed or names no node, or if ranges overlap.
    /// Only primaries are used.
    init?(_ reply: RESPValue, from node: NodeAddress) {
        guard case .array(let ranges) = reply, (1...HashSlot.count).contains(ranges.count) else { return nil }
        for range in ranges {
            guard case .array(let parts) = range, parts.count >= 3,
                case .integer(let first) = parts[0], case .integer(let last) = parts[1],
                first >= 0, first <= last, last < HashSlot.count,
                let owner = Self.address(parts[2], from: node), let index = index(of: owner)
            else { return nil }
            for slot in Int(first)...Int(last) {
                // Each slot is set once, which bounds the work of all ranges together.
                guard slots[slot] == .max else { return nil }
                slots[slot] = index
            }
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
        guard let index = index(of: node) else { return false }
        slots[slot] = index
        return true
    }

    /// The position of a node, which is added if it is new; nil if there are too many.
    private mutating func index(of node: NodeAddress) -> UInt16? {
        if let index = indices[node] { return index }
        guard nodes.count < Self.maximumNodes else { return nil }
        let index = UInt16(nodes.count)
        nodes.append(node)
        indices[node] = index
        return index
    }

    /// A node without a name, or with an unknown one, has the name under which it was asked.
    private static func address(_ value: RESPValue, from node: NodeAddress) -> NodeAddress? {
        guard case .array(let parts) = value, parts.count >= 2, case .integer(let port) = parts[1],
            let port = Int(exactly: port), let host = parts[0] == .null ? "" : parts[0].string
        else { return nil }
        return NodeAddress(host: host.isEmpty || host == "?" ? node.host : host, port: port)
    }
}
