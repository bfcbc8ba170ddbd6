import Foundation
import Glibc
import Testing

/// Runs the built tool as a process, in a temporary folder and home.
struct Tool: Sendable {
    struct Result: Sendable {
        let status: Int32
        let output: Data
        let errors: String

        var lines: [String] {
            String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        /// The objects of `--json`, in the order of their lines.
        func objects() throws -> [[String: any Sendable]] {
            try lines.map { line in
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
                return try #require(object as? [String: any Sendable])
            }
        }
    }

    let folder = TemporaryFolder()

    /// A folder for `--cache`.
    var cache: String { folder.path("cache") }

    /// The number of cached files on disk.
    func cachedFiles() -> Int {
        let path = folder.path("cache/com.onevcat.Kingfisher.ImageCache.kingfisher")
        return (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0
    }

    /// Runs `kingfisher` with `arguments`; with `terminal`, standard error is a terminal.
    func callAsFunction(_ arguments: String..., terminal: Bool = false) async throws -> Result {
        try await run(arguments, terminal: terminal)
    }

    /// Also sets environment variables in addition to `HOME` and `PATH`, and may run another program.
    func run(
        _ arguments: [String], terminal: Bool = false, environment: [String: String] = [:],
        program: URL? = nil
    ) async throws -> Result {
        let name = UUID().uuidString
        let home = TemporaryFolder()
        let output = home.path("output-\(name)")
        let errors = home.path("errors-\(name)")
        for path in [output, errors] { try Data().write(to: URL(filePath: path)) }

        let process = Process()
        process.executableURL = try program ?? Self.executable
        process.arguments = arguments
        process.currentDirectoryURL = folder.url
        process.environment = ["HOME": home.url.path, "PATH": "/usr/bin:/bin"].merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        // Files rather than pipes, which would need a reader while the tool runs. They stay open after
        // the tool has ended, unless they are closed.
        let files = try [output, errors].map { try FileHandle(forWritingTo: URL(filePath: $0)) }
        defer { for file in files { try? file.close() } }
        let pseudoTerminal = terminal ? try PseudoTerminal() : nil
        process.standardOutput = files[0]
        process.standardError = pseudoTerminal?.slave ?? files[1]

        let status = try await process.runToEnd()
        let errorBytes = try pseudoTerminal?.read() ?? Data(contentsOf: URL(filePath: errors))
        return Result(
            status: status, output: try Data(contentsOf: URL(filePath: output)),
            errors: String(decoding: errorBytes, as: UTF8.self))
    }

    /// Runs a bash script in which `kingfisher` is the tool.
    func shell(_ script: String) async throws -> Result {
        try await run(
            ["-c", "kingfisher() { '\(try Self.executable.path)' \"$@\"; }; \(script)"],
            program: URL(filePath: "/bin/bash"))
    }

    /// The tool, which is built into the same folder as the tests.
    static var executable: URL {
        get throws {
            let url = Bundle.main.bundleURL.appending(path: "kingfisher")
            return try #require(FileManager.default.isExecutableFile(atPath: url.path) ? url : nil)
        }
    }
}

extension Process {
    /// Starts the process and waits for its end. The status is the negative number of a signal that ended it.
    fileprivate func runToEnd() async throws -> Int32 {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
            terminationHandler = { process in
                let signalled = process.terminationReason == .uncaughtSignal
                continuation.resume(
                    returning: signalled ? -process.terminationStatus : process.terminationStatus)
            }
            do { try run() } catch {
                terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
    }
}

/// The two ends of a pseudo-terminal.
final class PseudoTerminal {
    let slave: FileHandle
    private let master: Int32

    init() throws {
        var master: Int32 = -1
        var slave: Int32 = -1
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        try #require(openpty(&master, &slave, nil, nil, &size) == 0)
        self.master = master
        self.slave = FileHandle(fileDescriptor: slave, closeOnDealloc: true)
    }

    deinit {
        close(master)
    }

    /// The output so far.
    func read() -> Data {
        var result = Data()
        var chunk = [UInt8](repeating: 0, count: 4096)
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        while true {
            let count = Glibc.read(master, &chunk, chunk.count)
            guard count > 0 else { return result }
            result.append(contentsOf: chunk[..<count])
        }
    }
}
