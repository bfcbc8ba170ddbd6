import Foundation
import SiegeAttacks

/// `siege SERVER [ATTACK ...]`: runs the attacks with full counts against a release build of the server.
@main struct Main {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let attacks = arguments.dropFirst().map(Siege.Attack.init(rawValue:))
        guard let server = arguments.first, attacks.allSatisfy({ $0 != nil }) else {
            let names = Siege.Attack.allCases.map(\.rawValue).joined(separator: " ")
            say("usage: siege SERVER [ATTACK ...]\nattacks: \(names)")
            exit(64)
        }
        let siege = Siege(server: URL(filePath: server), scale: .full)
        var missed = 0
        for attack in attacks.isEmpty ? Siege.Attack.all : attacks.compactMap(\.self) {
            guard let measurements = try siege.measure(attack) else {
                say("siege \(attack.rawValue) SKIPPED: not supported on this system")
                continue
            }
            for measurement in measurements {
                say(measurement.line)
                if !measurement.detail.isEmpty { say("    \(measurement.detail)") }
            }
            missed += measurements.count { !$0.isHeld }
        }
        guard missed == 0 else {
            say("siege: \(missed) limits exceeded")
            exit(1)
        }
    }

    /// Writes a line without buffering.
    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
