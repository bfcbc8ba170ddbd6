import Foundation

/// The results as text in columns.
struct ResultTable: CustomStringConvertible {
    let results: [TimedLoads]

    var description: String {
        let files = ["picture"] + results.map(\.exhibit.file)
        let captions = ["processor"] + results.map(\.exhibit.caption)
        let heads = ["1st load", "2nd load", "3rd load"].map { $0.padded(to: 17) }
        let loads = [heads] + results.map { $0.loads.map(\.text) }
        let (fileWidth, captionWidth) = (Self.width(files), Self.width(captions))
        return files.indices.map { row in
            ([files[row].padded(to: fileWidth), captions[row].padded(to: captionWidth)] + loads[row])
                .joined(separator: "   ").trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
    }

    private static func width(_ column: [String]) -> Int {
        column.map(\.count).max() ?? 0
    }
}
