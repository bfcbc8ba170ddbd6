import Foundation
import KingfisherSharedCache
import KingfisherTestSupport
import Testing

/// The client against servers that fail, lie and stall.
@Suite(.timeLimit(.minutes(1)))
struct FakeServerTests {
    private let get = RedisCommand("GET", ["k"], key: "k")

    /// The error of a command to a server that answers with `answer`.
    private func error(
        of answer: FakeServer.Answer, _ change: (inout RedisConfiguration) -> Void = { _ in }
    ) async throws -> RedisError? {
        let server = try FakeServer { $0[0] == "GET" ? answer : nil }
        defer { server.stop() }
        let client = try server.client(change)
        return await #expect(throws: RedisError.self) { _ = try await client.send(get) }
    }

    @Test(
        "Malformed replies fail the command",
        arguments: [
            "?\r\n", "$-5\r\n", "$3\r\nabcd\r\n", ":x\r\n",
            "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
            "*999999999\r\n", "$99999999999\r\n", "+" + String(repeating: "x", count: 5000),
            "HTTP/1.1 400 Bad Request\r\n\r\n",
        ])
    func malformed(_ text: String) async throws {
        guard case .malformedReply? = try await error(of: .bytes(text)) else {
            Issue.record("expected a malformed reply")
            return
        }
    }

    @Test(
        "A truncated reply fails the command when the connection ends",
        arguments: ["", "$5\r\nab", "*2\r\n:1\r\n"])
    func truncated(_ text: String) async throws {
        guard case .unreachable? = try await error(of: .close(text)) else {
            Issue.record("expected an unreachable node")
            return
        }
    }

    @Test("A silent node times out, and so does a string that never ends")
    func slow() async throws {
        #expect(try await error(of: .nothing) { $0.responseTimeout = .milliseconds(50) } == .timedOut)
        let start = ContinuousClock.now
        // Bytes arrive, so that only the limit for a reply without progress ends it: twice 100 ms.
        #expect(
            try await error(of: .drip("$1000000\r\n")) { $0.responseTimeout = .milliseconds(100) }
                == .timedOut
        )
        #expect(ContinuousClock.now - start > .milliseconds(200))
    }

    @Test("A push that never ends closes the connection, though no command waits")
    func slowPush() async throws {
        let server = try FakeServer { command in
            command[0] == "GET" ? .drip("+OK\r\n>1000\r\n") : .bytes("+OK\r\n")
        }
        defer { server.stop() }
        let client = try server.client { $0.responseTimeout = .milliseconds(100) }
        #expect(try await client.send(get) == .text("OK"))
        #expect(await poll { server.droppedClients == 1 })
        #expect(try await client.send(RedisCommand("PING")) == .text("OK"))
    }

    @Test("A value of 8 MiB that takes longer than twice the response timeout is read")
    func slowValue() async throws {
        let part = String(repeating: "x", count: 1 << 18)
        let value = ["$\(1 << 23)\r\n"] + [String](repeating: part, count: 32) + ["\r\n"]
        let server = try FakeServer { $0[0] == "GET" ? .slow(value) : nil }
        defer { server.stop() }
        let client = try server.client { $0.responseTimeout = .milliseconds(1500) }
        #expect(try await client.send(get) == .bytes(Data(repeating: 0x78, count: 1 << 23)))
    }

    @Test("A reply without a command closes the connection, and the next command uses a new one")
    func unexpected() async throws {
        let server = try FakeServer { $0[0] == "GET" ? .bytes("+OK\r\n+again\r\n") : nil }
        defer { server.stop() }
        let client = try server.client()
        for _ in 0..<3 {
            // Whether the connection is closed before the next command is sent depends on the machine.
            let reply = try? await client.send(get)
            #expect(reply == nil || reply == .text("OK"))
        }
    }

    @Test("Messages that answer no command are ignored")
    func push() async throws {
        let server = try FakeServer {
            $0[0] == "GET" ? .bytes(">2\r\n+invalidate\r\n*0\r\n$2\r\nab\r\n>1\r\n+x\r\n") : nil
        }
        defer { server.stop() }
        let client = try server.client()
        for _ in 0..<10 { #expect(try await client.send(get) == .bytes(Data("ab".utf8))) }
    }

    @Test("A string above the limit is skipped without loss of the connection")
    func oversized() async throws {
        let server = try FakeServer { command in
            command[0] == "GET"
                ? .bytes("$100\r\n\(String(repeating: "x", count: 100))\r\n") : .bytes("+OK\r\n")
        }
        defer { server.stop() }
        let client = try server.client { $0.maximumReplyBytes = 10 }
        #expect(try await client.send(get) == .oversized(bytes: 100))
        #expect(try await client.send(RedisCommand("PING")) == .text("OK"))
    }

    @Test("More waiting commands than the limit fail at once")
    func backPressure() async throws {
        let server = try FakeServer { _ in nil }
        defer { server.stop() }
        let client = try server.client {
            $0.pendingLimits.commands = 10
            $0.responseTimeout = .milliseconds(500)
        }
        let errors = await withTaskGroup(of: RedisError?.self) { group in
            for _ in 0..<30 {
                group.addTask {
                    do throws(RedisError) {
                        _ = try await client.send(get)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: [RedisError?]()) { $0.append($1) }
        }
        #expect(errors.count { $0 == .tooManyCommands } == 20)
        #expect(errors.count { $0 == .timedOut } == 10)
    }

    @Test("A cancelled command ends at once, and later replies still match their commands")
    func cancelled() async throws {
        let server = try FakeServer { command in
            if command[0] == "GET" { return .bytes("") }
            return command[0] == "PING" ? .bytes("+slow\r\n+PONG\r\n") : nil
        }
        defer { server.stop() }
        let client = try server.client()
        let task = Task { () throws(RedisError) in try await client.send(get) }
        #expect(await poll { server.commands.contains(["GET", "k"]) })
        task.cancel()
        let error = await #expect(throws: RedisError.self) { _ = try await task.value }
        #expect(error == .cancelled)
        #expect(try await client.send(RedisCommand("PING")) == .text("PONG"))
    }

    @Test("Five failed connections open the circuit breaker")
    func breaker() async throws {
        let server = try FakeServer { $0[0] == "GET" ? .close("") : nil }
        defer { server.stop() }
        let client = try server.client()
        var errors: [RedisError] = []
        for _ in 0..<8 {
            if let error = await #expect(
                throws: RedisError.self, performing: { _ = try await client.send(get) })
            {
                errors.append(error)
            }
        }
        #expect(errors.prefix(5).allSatisfy { $0 != .circuitOpen })
        #expect(errors.suffix(3).allSatisfy { $0 == .circuitOpen })
        #expect(server.commands.count == 5)
    }

    @Test("The error of a server without HELLO, which quotes the password, has the code only")
    func oldServer() async throws {
        let server = try FakeServer { command in
            command[0] == "HELLO" ? .bytes("-ERR unknown command, with args \(command.dropFirst())\r\n") : nil
        }
        defer { server.stop() }
        let client = try server.client { $0.password = RedisPassword("secret-1") }
        let error = await #expect(throws: RedisError.self) { _ = try await client.send(get) }
        #expect(error == .server("ERR"))
    }

    @Test(
        "Errors of a server that is loading or without quorum are thrown",
        arguments: ["LOADING x", "TRYAGAIN x"])
    func serverErrors(_ text: String) async throws {
        #expect(try await error(of: .bytes("-\(text)\r\n")) == .server(text))
    }
}
