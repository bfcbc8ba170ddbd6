struct ProgressBar: Sendable {
    private struct Transfer {
        var received: Int64 = 0
        var expected: Int64 = 0
    }

    private var transfers: [Int: Transfer] = [:]
    private var finished = 0
    private let total: Int

    init(total: Int) {
        self.total = total
    }

    /// - Parameter expected: the expected number of bytes; 0 if unknown.
    mutating func update(_ source: Int, received: Int64, expected: Int64) {
        transfers[source] = Transfer(received: max(0, received), expected: max(0, expected))
    }

    mutating func finish(_ source: Int) {
        finished += 1
        transfers[source] = nil
    }

    /// The completed part of the work, 0...1: finished sources, and the received part of others.
    var fraction: Double {
        guard total > 0 else { return 1 }
        let underWay = transfers.values.reduce(0.0) { sum, transfer in
            guard transfer.expected > 0 else { return sum }
            return sum + min(1, Double(transfer.received) / Double(transfer.expected))
        }
        return min(1, (Double(finished) + underWay) / Double(total))
    }

    /// A line shorter than `columns`, so that no terminal wraps it; empty if there is no room.
    func line(columns: Int) -> String {
        let percent = String(Int(fraction * 100))
        let label = String(repeating: " ", count: 3 - percent.count) + percent + " %  \(finished) of \(total)"
        let room = min(columns - 1, 79) - label.count - 4
        guard room >= 4 else { return label.count < columns ? label : "" }
        let full = Int(fraction * Double(room))
        return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: room - full) + "]  "
            + label
    }
}
