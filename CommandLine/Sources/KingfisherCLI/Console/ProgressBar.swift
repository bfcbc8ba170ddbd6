/// How far all downloads of a command are, and the line that shows it.
struct ProgressBar: Sendable {
    private struct Transfer {
        var received: Int64 = 0
        var expected: Int64 = 0
    }

    private var transfers: [Int: Transfer] = [:]
    private var finished = 0
    private let total: Int

    /// Counts `total` sources.
    init(total: Int) {
        self.total = total
    }

    /// A source's download has `received` of `expected` bytes.
    mutating func update(_ source: Int, received: Int64, expected: Int64) {
        transfers[source] = Transfer(received: max(0, received), expected: max(0, expected))
    }

    /// A source is done, well or not.
    mutating func finish(_ source: Int) {
        finished += 1
        transfers[source] = nil
    }

    /// What part of the work is done, 0...1: whole sources, and of those under way the share of their bytes.
    var fraction: Double {
        guard total > 0 else { return 1 }
        let underWay = transfers.values.reduce(0.0) { sum, transfer in
            guard transfer.expected > 0 else { return sum }
            return sum + min(1, Double(transfer.received) / Double(transfer.expected))
        }
        return min(1, (Double(finished) + underWay) / Double(total))
    }

    /// The line, narrower than `columns`, so that no terminal wraps it; empty where there is no room for one.
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
