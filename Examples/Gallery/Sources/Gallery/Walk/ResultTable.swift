import Foundation

/// The results as text in columns.
struct ResultTable: CustomStringConvertible {
    let results: [TimedLoads]

    var description: String {
        let titles = ["processor"] + results.map(\.sample.title)
        let heads = ["1st load", "2nd load", "3rd load"].map { $0.padded(to: 17) }
        let loads = [heads] + results.map { $0.loads.map(\.text) }
        let width = titles.map(\.count).max() ?? 0
        return titles.indices.map { row in
            ([titles[row].padded(to: width)] + loads[row])
                .joined(separator: "   ").trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }
}
