import FleetSimulation
import Foundation

/// `Simulate [TABLE ...]`: prints the tables of docs/scale.md.
@main struct Main {
    static func main() {
        let names = CommandLine.arguments.dropFirst()
        let scenarios = names.map(Scenario.init(rawValue:))
        guard scenarios.allSatisfy({ $0 != nil }) else {
            let all = Scenario.allCases.map(\.rawValue).joined(separator: " ")
            say("usage: Simulate [TABLE ...]\ntables: \(all)\n")
            exit(64)
        }
        for scenario in names.isEmpty ? Scenario.allCases : scenarios.compactMap(\.self) {
            say("<!-- simulate \(scenario.rawValue) -->\n\(scenario.table.text)<!-- end -->\n\n")
        }
    }

    /// Writes text without buffering.
    private static func say(_ text: String) { FileHandle.standardOutput.write(Data(text.utf8)) }
}
