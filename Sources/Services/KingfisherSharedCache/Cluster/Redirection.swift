/// A node's reply that another node has the slot of a key.
enum Redirection: Hashable {
    /// The other node has the slot from now on.
    case moved(slot: Int, NodeAddress)
    /// The other node may have the key, because the slot is moving. Only this command goes there.
    case ask(slot: Int, NodeAddress)

    /// Reads `MOVED 3999 127.0.0.1:6381`; nil for other errors and malformed redirections.
    init?(_ error: String, from node: NodeAddress) {
        let words = error.split(separator: " ")
        guard words.count >= 3, let slot = Int(words[1]), (0..<HashSlot.count).contains(slot),
            let address = NodeAddress(words[2], unnamed: node.host)
        else { return nil }
        switch words[0] {
        case "MOVED": self = .moved(slot: slot, address)
        case "ASK": self = .ask(slot: slot, address)
        default: return nil
        }
    }
}
