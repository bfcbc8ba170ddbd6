import ArgumentParser
import Kingfisher

struct ProcessorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "processors", abstract: "Lists the steps of -p, with arguments and examples.",
        usage: "kingfisher processors")

    func run() {
        let console = Console(sources: 0, quiet: true)
        for line in Self.listing.split(separator: "\n", omittingEmptySubsequences: false) {
            console.print(String(line))
        }
    }

    static var listing: String {
        let steps = StepGrammar.standard.definitions.map {
            "\($0.usage)\n    \($0.summary)\n    -p \($0.example)"
        }
        return (steps + [StepGrammar.notes]).joined(separator: "\n\n")
    }
}
