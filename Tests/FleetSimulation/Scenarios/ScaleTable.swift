import Foundation

/// A table of docs/scale.md.
package struct ScaleTable: Sendable {
    let header: [String]
    var rows: [[String]] = []

    init(_ header: String...) { self.header = header }

    mutating func add(_ cells: String...) { rows.append(cells) }

    /// In Markdown.
    package var text: String {
        let rule = header.map { _ in "---" }
        return ([header, rule] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }
}

extension Double {
    func text(_ digits: Int) -> String { String(format: "%.\(digits)f", self) }

    /// A share of 1.
    var percent: String { "\((self * 100).text(1)) %" }

    /// A time in seconds.
    var milliseconds: String { "\((self * 1000).text(0)) ms" }
}
