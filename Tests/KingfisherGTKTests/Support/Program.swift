import Foundation
import Synchronization

/// `WindowProgram`, which is built next to the tests, as a process.
@MainActor final class Program {
    private let process = Process()
    private let output = Pipe()
    private let words = Mutex<[String]>([])

    init(_ arguments: [String], environment changes: [String: String?] = [:]) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appending(path: "WindowProgram")
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        // Else a critical of GTK is not fatal; see `GTK.isReady`.
        environment["SWIFT_BACKTRACE"] = "enable=no"
        for (name, value) in changes { environment[name] = value }
        process.environment = environment
        process.standardOutput = output
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            // The program writes each line at once, so none comes in pieces.
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
            self?.words.withLock { $0 += lines }
        }
        try process.run()
    }

    isolated deinit {
        output.fileHandleForReading.readabilityHandler = nil
        if process.isRunning { process.terminate() }
    }

    /// Whether the program has said this, soon enough.
    func says(_ words: String...) async -> Bool {
        await GTK.wait(upTo: 20) { self.words.withLock { $0 } == words }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    func status() async -> Int32? {
        await GTK.wait(upTo: 20) { !process.isRunning } ? process.terminationStatus : nil
    }
}
