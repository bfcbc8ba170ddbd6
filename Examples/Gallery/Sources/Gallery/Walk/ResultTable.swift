import Foundation
import Kingfisher

struct ResultTable: CustomStringConvertible {
    let results: [TimedLoads]

    var description: String {
        let titles = ["processor"] + results.map(\.sample.title)
        let heads = results.first?.loads.map { "\($0.cacheType.origin), ms" } ?? []
        let loads = [heads] + results.map { $0.loads.map { String(format: "%.3f", $0.milliseconds) } }
        let width = titles.map(\.count).max() ?? 0
        let rows = titles.indices.map { row in
            titles[row].padded(to: width)
                + zip(loads[row], heads).map { "   " + $0.padded(to: $1.count, atStart: true) }.joined()
        }
        return "Time to load one photo with each processor:\n\n"
            + rows.joined(separator: "\n")
    }
}

extension CacheType {
    fileprivate var origin: String {
        switch self {
        case .none: "from the server"
        case .disk: "from disk"
        case .memory: "from memory"
        }
    }
}

extension String {
    /// Pads the text with spaces to `count` characters.
    fileprivate func padded(to count: Int, atStart: Bool = false) -> String {
        let spaces = String(repeating: " ", count: max(count - self.count, 0))
        return atStart ? spaces + self : self + spaces
    }
}
