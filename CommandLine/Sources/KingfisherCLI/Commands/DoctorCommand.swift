import ArgumentParser
import Kingfisher
import KingfisherIsolation

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Reports how files are decoded outside of this program.",
        usage: "kingfisher doctor [--json]",
        discussion: """
            Starts the program kingfisher-decoder, in which formats with a history of vulnerabilities are \
            decoded, and prints where it is, which formats it has, and which measures confine it here. The \
            status is 1 if it cannot be started, or if a measure is missing that it must have.
            """)

    @Flag(help: "Prints one JSON object.")
    var json = false

    func run() throws {
        let console = Console(sources: 0, quiet: true)
        let report = DoctorReport(DecoderPool.shared)
        if json { console.print(report.json) } else { console.print(report.lines) }
        if !report.isHealthy { throw ExitCode(1) }
    }
}

/// What `kingfisher doctor` prints.
struct DoctorReport {
    private let path: String?
    private let facts: DecoderFacts?
    private let error: String?
    private let required: LockDown

    init(_ pool: DecoderPool) {
        required = pool.settings.requiredLockDown
        path = try? pool.executablePath()
        // What is missing is reported, not refused.
        var settings = pool.settings
        settings.requiredLockDown = []
        do throws(ImageCodecError) {
            facts = try DecoderPool(settings: settings).facts()
            error = nil
        } catch {
            facts = nil
            self.error = error.errorDescription ?? "\(error)"
        }
    }

    var isHealthy: Bool { facts?.lockDown.isSuperset(of: required) ?? false }

    private var missing: LockDown {
        LockDown(LockDown.all.map(\.measure)).subtracting(facts?.lockDown ?? [])
    }

    var lines: [String] {
        guard let facts else { return ["decoder: \(error ?? "unknown")"] }
        func list(_ names: [String]) -> String { names.isEmpty ? "-" : names.joined(separator: ", ") }
        return [
            "decoder: \(path ?? "-")",
            "formats: \(list(facts.formats.map { $0.lowercased() }))",
            "in force: \(list(facts.lockDown.names))",
            "not in force: \(list(missing.names))",
            isHealthy ? "required: all in force" : "required: \(list(required.names)), not all in force",
        ]
    }

    var json: JSONLine {
        func list(_ names: [String]) -> JSONLine.Value { .list(names.map { .text($0) }) }
        return JSONLine([
            "decoder": path.map { .text($0) } ?? .null, "error": error.map { .text($0) } ?? .null,
            "formats": list(facts?.formats.map { $0.lowercased() } ?? []),
            "inForce": list(facts?.lockDown.names ?? []), "notInForce": list(missing.names),
            "required": list(required.names), "isHealthy": .truth(isHealthy),
        ])
    }
}
