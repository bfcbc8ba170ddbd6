import ArgumentParser

/// `kingfisher processors`: the steps of `-p`.
struct ProcessorsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "processors", abstract: "Lists the steps of -p, their arguments and an example each.",
        usage: "kingfisher processors")

    func run() {
        print(Self.listing)
    }

    static var listing: String {
        ProcessingStep.Kind.allCases
            .map { "\($0.usage)\n    \($0.summary)\n    -p \($0.example)" }
            .joined(separator: "\n\n")
    }
}
