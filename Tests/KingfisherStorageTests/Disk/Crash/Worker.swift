import Foundation
import Testing

@testable import CacheWorker

/// `CacheWorker`, which is built next to the tests, as a process. It ends with this object at the latest.
final class Worker {
    private let process = Process()
    private let output = Pipe()
    /// Where it counts, if it does.
    let tally: String?

    static var executable: URL {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: tests).deletingLastPathComponent().appending(path: "CacheWorker")
        }
    }

    /// - Parameter arguments: The file where it counts first, if it does.
    init(_ role: String, on folder: String, _ arguments: String...) throws {
        tally = arguments.first
        process.executableURL = try Self.executable
        process.arguments = [role, folder] + arguments
        process.standardOutput = output
        try process.run()
    }

    /// A worker with a file system mounted on its folder's parent by a shell line, for it
    /// alone; `$0` is the place.
    init(_ roles: [String], after mount: String, at place: String) throws {
        tally = nil
        process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
        let worker = try Self.executable.path
        let script = ([mount] + roles.map { $0.hasPrefix("mount ") ? $0 : "'\(worker)' \($0) \"$0/cache\"" })
            .joined(separator: " && ")
        process.arguments = ["--user", "--map-root-user", "--mount", "/bin/sh", "-c", script, place]
        process.standardOutput = output
        try process.run()
    }

    deinit {
        kill()
        process.waitUntilExit()
    }

    var counts: [Tally: Int] { tally.map(Tally.read) ?? [:] }

    var isRunning: Bool { process.isRunning }

    /// Only what was started here, so never by name.
    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    /// Ended by `kill()`, not by itself or by a crash; call it once it does not run any more.
    var wasKilled: Bool {
        process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    }

    /// Whether it ended by itself and well; waits for that.
    var succeeded: Bool {
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    /// What it said until it ended, line by line.
    func lines() -> [String] {
        let text = String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }
}
