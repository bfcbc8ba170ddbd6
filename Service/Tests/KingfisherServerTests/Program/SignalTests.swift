import Foundation
import Glibc
import KingfisherTestSupport
import Synchronization
import Testing

/// The program `kingfisher-server` and the signals that end it.
@Suite struct SignalTests {
    /// The program that is built beside these tests, with origins on loopback.
    private final class Program: Sendable {
        let process: Process
        private let log = Mutex("")

        init(cacheFolder: URL) throws {
            process = Process()
            process.executableURL = URL(filePath: CommandLine.arguments[0])
                .deletingLastPathComponent().appending(path: "kingfisher-server")
            process.arguments = [
                "--listen", "127.0.0.1:0", "--admin-listen", "none", "--signing", "off", "--isolation",
                "none",
                "--allow-addresses", "127.0.0.0/8", "--allowed-ports", "all",
                "--cache-folder", cacheFolder.path, "--connections", "64",
            ]
            // Variables of the test scripts are no settings.
            process.environment = ProcessInfo.processInfo.environment.filter {
                !$0.key.hasPrefix("KINGFISHER_")
            }
            let output = Pipe()
            process.standardError = output
            output.fileHandleForReading.readabilityHandler = { [weak self] handle in
                let text = String(decoding: handle.availableData, as: UTF8.self)
                self?.log.withLock { $0 += text }
            }
            // Threads of Dispatch block signals, and a new process inherits that.
            var (none, before) = (sigset_t(), sigset_t())
            sigemptyset(&none)
            pthread_sigmask(SIG_SETMASK, &none, &before)
            defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
            try process.run()
        }

        var port: Int? {
            log.withLock { $0 }.firstMatch(of: /serving at http:\/\/127\.0\.0\.1:([0-9]+)\//).flatMap {
                Int($0.1)
            }
        }

        func end() { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    }

    @Test func `SIGTERM lets a response end, and a second one ends the program at once`() async throws {
        let origin = try AttackOrigin { _ in .silent }
        defer { origin.stop() }
        let folder = unusedFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = try Program(cacheFolder: folder)
        defer { program.end() }
        #expect(await poll { program.port != nil })
        let client = try AttackClient(port: try #require(program.port))
        client.send("/unsafe/plain/\(origin.url("/a.jpg").absoluteString)")
        #expect(await poll { origin.openTransfers == 1 })
        kill(program.process.processIdentifier, SIGTERM)
        #expect(await !poll(upTo: .milliseconds(500)) { !program.process.isRunning })
        kill(program.process.processIdentifier, SIGTERM)
        #expect(await poll { !program.process.isRunning })
        #expect(program.process.terminationStatus == 128 + SIGTERM)
    }

    @Test func `SIGTERM ends an idle program with status 0`() async throws {
        let folder = unusedFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let program = try Program(cacheFolder: folder)
        defer { program.end() }
        #expect(await poll { program.port != nil })
        kill(program.process.processIdentifier, SIGTERM)
        #expect(await poll { !program.process.isRunning })
        #expect(program.process.terminationStatus == 0)
    }
}
