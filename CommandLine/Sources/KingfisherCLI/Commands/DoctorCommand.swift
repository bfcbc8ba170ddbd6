import ArgumentParser
import Kingfisher
import KingfisherIsolation

struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Reports how files are decoded outside of this program.",
        usage: "kingfisher doctor [--json]",
        discussion: """
            Starts the program kingfisher-decoder, in which formats with a history of vulnerabilities are \
            decoded, without and with the right to open fonts, and for videos, and prints where it is, which \
            formats it has, and which measures confine it here. The status is 1 if it cannot be started, or if a measure is \
            missing that it must have.
            """)

    @Flag(help: "Prints a JSON object for each of them.")
    var json = false

    func run() throws {
        let console = Console(sources: 0, quiet: true)
        let report = DoctorReport(DecoderPool.shared)
        if json { report.json.forEach { console.print($0) } } else { console.print(report.lines) }
        if !report.isHealthy { throw ExitCode(1) }
    }
}

/// What `kingfisher doctor` prints.
struct DoctorReport {
    private let path: String?
    private let decoders: [DecoderDiagnosis]

    init(_ pool: DecoderPool) {
        path = try? pool.executablePath()
        // What is missing is reported, not refused.
        var settings = pool.settings
        settings.requiredLockDown = []
        settings.requiredLockDownWithFonts = []
        let lenient = DecoderPool(settings: settings)
        decoders = [
            DecoderDiagnosis("decoder", lenient, .nothing, required: pool.settings.requiredLockDown),
            DecoderDiagnosis(
                "decoder with fonts", lenient, .fonts, required: pool.settings.requiredLockDownWithFonts),
            DecoderDiagnosis("decoder of videos", lenient, .video, required: pool.settings.requiredLockDown),
        ]
    }

    var isHealthy: Bool { decoders.allSatisfy(\.isHealthy) }

    var lines: [String] { decoders.flatMap { $0.lines(path) } }

    var json: [JSONLine] { decoders.map { $0.json(path) } }
}

/// What one of the decoders reports, and what it lacks.
private struct DecoderDiagnosis {
    private let name: String
    private let access: DecoderAccess
    private let required: LockDown
    private let report: DecoderReport?
    private let error: String?

    init(_ name: String, _ pool: DecoderPool, _ access: DecoderAccess, required: LockDown) {
        self.name = name
        self.access = access
        self.required = required
        do throws(ImageCodecError) {
            report = try pool.report(access)
            error = nil
        } catch {
            report = nil
            self.error = error.errorDescription ?? "\(error)"
        }
    }

    var isHealthy: Bool { report?.lockDown.isSuperset(of: required) ?? false }

    private var missing: LockDown {
        LockDown(LockDown.all.map(\.measure)).subtracting(report?.lockDown ?? [])
    }

    private var formats: [String] { report?.formats.map { $0.lowercased() } ?? [] }

    func lines(_ path: String?) -> [String] {
        guard let report else { return ["\(name): \(error ?? "unknown")"] }
        func list(_ names: [String]) -> String { names.isEmpty ? "-" : names.joined(separator: ", ") }
        return [
            "\(name): \(path ?? "-")",
            "formats: \(list(formats))" + (report.missing.map { ", without \($0)" } ?? ""),
            "in force: \(list(report.lockDown.names))",
            "not in force: \(list(missing.names))",
            isHealthy ? "required: all in force" : "required: \(list(required.names)), not all in force",
        ]
    }

    func json(_ path: String?) -> JSONLine {
        func list(_ names: [String]) -> JSONLine.Value { .list(names.map { .text($0) }) }
        return JSONLine([
            "decoder": path.map { .text($0) } ?? .null, "opens": .text(access.rawValue),
            "error": error.map { .text($0) } ?? .null, "formats": list(formats),
            "missing": report?.missing.map { .text($0) } ?? .null,
            "inForce": list(report?.lockDown.names ?? []), "notInForce": list(missing.names),
            "required": list(required.names), "isHealthy": .truth(isHealthy),
        ])
    }
}
