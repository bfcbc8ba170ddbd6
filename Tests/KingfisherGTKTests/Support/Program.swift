import Foundation
import Synchronization

/// A process that runs `WindowProgram`, which is built next to the tests.
@MainActor final class Program {
    private let process = Process()
    private let output = Pipe()
    private let lines = Mutex<[String]>([])

    /// Starts it; with `wrapper`, as the last arguments of that command.
    init(
        _ arguments: [String], through wrapper: [String] = [], environment changes: [String: String?] = [:]
    ) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let program = URL(fileURLWithPath: tests).deletingLastPathComponent().appending(path: "WindowProgram")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = wrapper + [program.path] + arguments
        var environment = ProcessInfo.processInfo.environment
        // Otherwise a critical of GTK is not fatal; see `GTK.isReady`.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        for (name, value) in changes { environment[name] = value }
        process.environment = environment
        process.standardOutput = output
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            // The program writes each line in one call, so lines arrive whole.
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
            self?.lines.withLock { $0 += lines }
        }
        try process.run()
    }

    isolated deinit {
        output.fileHandleForReading.readabilityHandler = nil
        if process.isRunning { process.terminate() }
    }

    /// Whether the program prints exactly these lines within 20 seconds.
    func prints(_ expected: String...) async -> Bool {
        await GTK.wait(upTo: 20) { self.lines.withLock { $0 } == expected }
    }

    /// Whether the program prints these lines, in any order and among others, within 20 seconds.
    func hasPrinted(_ expected: String...) async -> Bool {
        await GTK.wait(upTo: 20) { self.lines.withLock { Set($0).isSuperset(of: expected) } }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    func status() async -> Int32? {
        await GTK.wait(upTo: 20) { !process.isRunning } ? process.terminationStatus : nil
    }
}
