import Foundation
import Glibc
import Synchronization

/// The program `kingfisher-server` that is built beside these tests, with origins on loopback.
final class ServerProcess: Sendable {
    let process = Process()
    private let output = Mutex("")
    private let folder = unusedFolder()

    /// Says that the sockets are for its process, as systemd does, and passes standard input as the first.
    private static let script = """
        LISTEN_PID=$$ exec "$@" 3<&0 </dev/null
        """

    /// - Parameter input: Becomes the first descriptor that systemd would pass.
    init(
        _ arguments: [String], input: FileHandle = .nullDevice, environment: [String: String] = [:]
    ) throws {
        let program = URL(filePath: CommandLine.arguments[0])
            .deletingLastPathComponent().appending(path: "kingfisher-server")
        let keys = folder.appending(path: "keys")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(String(repeating: "07", count: 32).utf8).write(to: keys)
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            ["-c", Self.script, "sh", program.path] + arguments + [
                "--admin-listen", "none", "--isolation", "none", "--allow-addresses", "127.0.0.0/8",
                "--allowed-ports", "all", "--cache-folder", folder.path, "--connections", "64",
                "--signing-keys-file", keys.path,
            ]
        // Variables of the test scripts are no settings.
        process.environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("KINGFISHER_")
        }.merging(environment) { $1 }
        process.standardInput = input
        let pipe = Pipe()
        process.standardError = pipe
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let text = String(decoding: handle.availableData, as: UTF8.self)
            self?.output.withLock { $0 += text }
        }
        // Threads of Dispatch block signals, and a new process inherits that.
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }

    /// What it has written to standard error.
    var log: String { output.withLock { $0 } }

    var port: Int? {
        log.firstMatch(of: /serving at http:\/\/127\.0\.0\.1:([0-9]+)\//).flatMap { Int($0.1) }
    }

    func end() {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }
}
