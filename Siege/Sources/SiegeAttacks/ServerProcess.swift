import Foundation
import Glibc

/// A server under attack, in a separate process that ends with this one.
final class ServerProcess: Sendable {
    enum Failure: Error { case notStarted(String) }

    let port: Int
    /// The port of operators.
    let adminPort: Int
    private let identifier: pid_t
    /// The shell that ends the server and removes its folder when its standard input is closed: by `stop()`
    /// or by any exit of this process.
    private let guardian: Process
    private let input: Pipe
    private let folder: URL

    private static let script = #"""
        trap : HUP INT TERM
        [ -z "$GROUP" ] || echo $$ >"$GROUP/cgroup.procs" || exit
        "$@" --cache-folder "$FOLDER/cache" >/dev/null 2>"$FOLDER/log" & echo $!
        read -r _
        kill -KILL $! 2>/dev/null
        wait
        rm -rf "$FOLDER"
        """#

    /// Sources on loopback, unsigned URLs, free ports.
    private static let options = [
        "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--signing", "off", "--allow-addresses",
        "127.0.0.0/8", "--allowed-ports", "all",
    ]

    /// Starts `program` with a separate cache folder. It finds `kingfisher-decoder` beside itself.
    init(_ program: URL, _ options: [String], controlGroup: ControlGroup? = nil) throws {
        let name = "kingfisher-siege-\(UUID().uuidString)"
        folder = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let log = folder.appending(path: "log")
        input = Pipe()
        let output = Pipe()
        guardian = Process()
        guardian.executableURL = URL(filePath: "/bin/sh")
        guardian.arguments = ["-c", Self.script, "sh", program.path] + Self.options + options
        // Variables of the test scripts are no settings.
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KINGFISHER_") }
        guardian.environment = environment.merging([
            "FOLDER": folder.path, "GROUP": controlGroup?.folder.path ?? "",
        ]) { $1 }
        guardian.standardInput = input
        guardian.standardOutput = output
        try Self.withoutBlockedSignals { [guardian] in try guardian.run() }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        identifier = pid_t(line.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0
        (port, adminPort) = Self.ports(in: log, within: .seconds(20)) ?? (0, 0)
        guard identifier > 0, port > 0 else {
            let said = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            stop()
            throw Failure.notStarted(said.isEmpty ? program.path : said)
        }
    }

    /// Runs `body` with a signal mask that new processes inherit, because threads of Dispatch block all
    /// signals.
    private static func withoutBlockedSignals(_ body: () throws -> Void) rethrows {
        var none = sigset_t()
        var before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try body()
    }

    /// The ports, which the server writes to its log.
    private static func ports(in log: URL, within limit: Duration) -> (Int, Int)? {
        let end = ContinuousClock.now + limit
        let serving = /serving at http:\/\/127\.0\.0\.1:([0-9]+)\//
        let operators = /operators at http:\/\/127\.0\.0\.1:([0-9]+)\//
        while .now < end {
            let text = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
            if let port = text.firstMatch(of: serving).flatMap({ Int($0.1) }),
                let admin = text.firstMatch(of: operators).flatMap({ Int($0.1) })
            {
                return (port, admin)
            }
            usleep(10_000)
        }
        return nil
    }

    /// Whether the process is running.
    var isRunning: Bool { fields.map { $0.first != "Z" } ?? false }

    /// Mebibytes of the server and its decoder processes, in which shared pages are divided by the number of
    /// processes that share them.
    var memory: Double {
        ProcessTree.members(of: identifier).reduce(0) { $0 + ProcessTree.proportionalMemory(of: $1) }
    }

    /// Resident mebibytes of the server alone.
    var residentMemory: Double { ProcessTree.number("VmRSS:", in: "/proc/\(identifier)/status") }

    /// The number of open files and connections.
    var openFiles: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/fd"))?.count ?? 0
    }

    /// CPU time of the server and its decoders since the start, in seconds.
    var cpuTime: Double {
        ProcessTree.members(of: identifier).reduce(0) { $0 + ProcessTree.cpuTime(of: $1) }
    }

    /// The fields of `/proc/PID/stat` after the name.
    private var fields: [Substring]? { ProcessTree.fields(of: identifier) }

    /// Ends the server; kills it if it has not exited within five seconds.
    func stop() {
        if identifier > 0 { kill(identifier, SIGTERM) }
        let end = ContinuousClock.now + .seconds(5)
        while isRunning, .now < end { usleep(10_000) }
        try? input.fileHandleForWriting.close()
        while guardian.isRunning, .now < end + .seconds(5) { usleep(10_000) }
        if guardian.isRunning { kill(guardian.processIdentifier, SIGKILL) }
    }
}
