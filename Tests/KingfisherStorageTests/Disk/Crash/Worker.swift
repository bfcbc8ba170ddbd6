import Foundation
import Testing

@testable import CacheWorker

/// A `CacheWorker` process, built next to the tests. It is killed when this object is released.
final class Worker {
    private let process = Process()
    private let output = Pipe()
    /// The file of its counters, if it counts.
    let tally: String?

    static var executable: URL {
        get throws {
            let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            return URL(fileURLWithPath: tests).deletingLastPathComponent().appending(path: "CacheWorker")
        }
    }

    /// - Parameter arguments: The file of its counters first, if it counts.
    init(_ role: String, on folder: String, _ arguments: String...) throws {
        tally = arguments.first
        process.executableURL = try Self.executable
        process.arguments = [role, folder] + arguments
        process.standardOutput = output
        try process.run()
    }

    /// A worker with a private file system, which a shell line mounts on its folder's parent;
    /// `$0` is the mount point.
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

    /// Kills by process id, never by name.
    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    /// Whether it ended by `kill()`, not by itself or by a crash. Call it only after the process has ended.
    var wasKilled: Bool {
        process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL
    }

    /// Waits for the process to end; true if it exited with status 0.
    var succeeded: Bool {
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }

    /// Its output, line by line; waits for its end.
    func lines() -> [String] {
        let text = String(decoding: (try? output.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }
}
