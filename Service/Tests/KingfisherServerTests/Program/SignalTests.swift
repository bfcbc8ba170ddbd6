import Foundation
import Glibc
import KingfisherTestSupport
import Testing

/// The program `kingfisher-server` and the signals that end it.
@Suite struct SignalTests {
    @Test func `SIGTERM lets a response end, and a second one ends the program at once`() async throws {
        let origin = try AttackOrigin { _ in .silent }
        defer { origin.stop() }
        let program = try ServerProcess(["--listen", "127.0.0.1:0", "--signing", "off"])
        defer { program.end() }
        #expect(await poll { program.port != nil })
        let client = try AttackClient(port: try #require(program.port))
        client.send("/unsafe/plain/\(origin.url("/a.jpg").absoluteString)")
        #expect(await poll { origin.openTransfers == 1 })
        kill(program.process.processIdentifier, SIGTERM)
        #expect(await !poll(upTo: .milliseconds(500)) { !program.process.isRunning })
        #expect(program.log.contains("stopping after the responses in progress"))
        kill(program.process.processIdentifier, SIGTERM)
        #expect(await poll { !program.process.isRunning })
        #expect(program.process.terminationStatus == 128 + SIGTERM)
    }

    @Test func `SIGTERM ends an idle program with status 0`() async throws {
        let program = try ServerProcess(["--listen", "127.0.0.1:0", "--signing", "off"])
        defer { program.end() }
        #expect(await poll { program.port != nil })
        kill(program.process.processIdentifier, SIGTERM)
        #expect(await poll { !program.process.isRunning })
        #expect(program.process.terminationStatus == 0)
        #expect(await poll { program.log.hasSuffix("kingfisher-server: stopped\n") })
    }
}
