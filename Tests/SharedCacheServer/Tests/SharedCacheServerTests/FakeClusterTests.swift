import Foundation
import KingfisherSharedCache
import KingfisherTestSupport
import Synchronization
import Testing

/// Redirections of a scripted cluster.
@Suite(.timeLimit(.minutes(1)))
struct FakeClusterTests {
    private let get = RedisCommand("GET", ["foo"], key: "foo")

    /// A map in which one port of the asked host has all slots.
    private static let map = "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$0\r\n\r\n:PORT\r\n"

    /// A server whose map names the port in `owner`, at first its own, and whose other answers are `respond`.
    private func server(owner: Box = Box(), _ respond: @escaping FakeServer.Respond) throws -> FakeServer {
        let server = try FakeServer { command in
            guard command[0] == "CLUSTER" else { return respond(command) }
            return .bytes(Self.map.replacingOccurrences(of: "PORT", with: "\(owner.value.withLock { $0 })"))
        }
        owner.value.withLock { $0 = server.port }
        return server
    }

    private final class Box: Sendable {
        let value = Mutex(0)
    }

    @Test("MOVED is followed, and the next command goes to the new node directly")
    func moved() async throws {
        let target = try server { $0[0] == "GET" ? .bytes("+found\r\n") : nil }
        let port = target.port
        let owner = Box()
        let source = try server(owner: owner) { command in
            guard command[0] == "GET" else { return nil }
            owner.value.withLock { $0 = port }
            return .bytes("-MOVED 12182 127.0.0.1:\(port)\r\n")
        }
        defer { for server in [source, target] { server.stop() } }
        let client = try source.client { $0.isCluster = true }
        for _ in 0..<5 { #expect(try await client.send(get) == .text("found")) }
        #expect(source.commands.count { $0[0] == "GET" } == 1)
        #expect(target.commands.count { $0[0] == "GET" } == 5)
    }

    @Test("ASK sends ASKING and the command to the other node, once")
    func ask() async throws {
        let target = try server { command in
            switch command[0] {
            case "ASKING": .bytes("+OK\r\n")
            case "GET": .bytes("+found\r\n")
            default: nil
            }
        }
        let port = target.port
        let source = try server { $0[0] == "GET" ? .bytes("-ASK 12182 127.0.0.1:\(port)\r\n") : nil }
        defer { for server in [source, target] { server.stop() } }
        let client = try source.client { $0.isCluster = true }
        for _ in 0..<2 { #expect(try await client.send(get) == .text("found")) }
        #expect(target.commands == [["ASKING"], ["GET", "foo"], ["ASKING"], ["GET", "foo"]])
        #expect(source.commands.count { $0[0] == "GET" } == 2)
    }

    @Test("Nodes that redirect without end fail the command after five hops")
    func loop() async throws {
        let port = Box()
        let server = try server { command in
            command[0] == "GET" ? .bytes("-MOVED 12182 127.0.0.1:\(port.value.withLock { $0 })\r\n") : nil
        }
        defer { server.stop() }
        port.value.withLock { $0 = server.port }
        let client = try server.client { $0.isCluster = true }
        let error = await #expect(throws: RedisError.self) { _ = try await client.send(get) }
        #expect(error == .tooManyRedirections)
        #expect(server.commands.count { $0[0] == "GET" } == 6)
    }

    @Test("A malformed map leaves the node unknown, and is not asked for again at once")
    func malformedMap() async throws {
        let server = try FakeServer { $0[0] == "CLUSTER" ? .bytes("*1\r\n:5\r\n") : nil }
        defer { server.stop() }
        let client = try server.client { $0.isCluster = true }
        for _ in 0..<50 {
            let error = await #expect(throws: RedisError.self) { _ = try await client.send(get) }
            #expect(error == .unknownNode)
        }
        // With pauses of 200 ms, 400 ms and so on, even on a busy machine.
        #expect((1...10).contains(server.commands.count))
    }
}
