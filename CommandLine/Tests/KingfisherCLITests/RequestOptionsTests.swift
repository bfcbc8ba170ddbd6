import Foundation
import Kingfisher
import KingfisherTestSupport
import Synchronization
import Testing

@testable import KingfisherCLI

@Suite("Header fields and standard input") struct RequestOptionsTests {
    private let tool = Tool()

    /// Sends a photo to requests with the right field, and redirects `/away` to another server.
    private final class Servers: Sendable {
        let first: LoopbackServer
        let second: LoopbackServer
        let seen = SharedFields()

        init() throws {
            let coffee = try Fixtures.data(named: "Photos/coffee.jpg")
            let seen = seen
            let second = try LoopbackServer { request in
                seen.add(request.header("X-Key"))
                return .ok(coffee)
            }
            first = try LoopbackServer { request in
                seen.add(request.header("X-Key"))
                return switch request.path {
                case "/away.jpg": .redirect(to: second.url("/a.jpg").absoluteString)
                case "/here.jpg": .redirect(to: "/a.jpg")
                default: .ok(coffee)
                }
            }
            self.second = second
        }
    }

    private final class SharedFields: Sendable {
        private let values = Mutex<[String?]>([])
        func add(_ value: String?) { values.withLock { $0.append(value) } }
        var all: [String?] { values.withLock { $0 } }
    }

    @Test(
        "Fields are sent, also after a redirect to the same server, but not to another one",
        arguments: ["get", "info"])
    func headers(command: String) async throws {
        for (path, fields) in [
            ("/a.jpg", ["one: two"]), ("/here.jpg", ["one: two", "one: two"]),
            ("/away.jpg", ["one: two", nil]),
        ] {
            let servers = try Servers()
            let source = servers.first.url(path).absoluteString
            let rest = command == "get" ? ["-o", "a.jpg", "--no-cache"] : []
            let result = try await tool.run(
                [command, source, "-H", "X-Key: one: two", "--header", "Accept-Language:en"] + rest)
            #expect(result.status == 0, "\(result.errors)")
            #expect(servers.seen.all == fields)
        }
    }

    @Test("Malformed fields are refused", arguments: ["a", ": b", "a b: c", "a: b\nc: d", "ä: b"])
    func malformed(field: String) async throws {
        let result = try await tool("get", "http://127.0.0.1:1/a.jpg", "-H", field)
        #expect(result.status == 2)
        #expect(throws: (any Error).self) { try HeaderField(field) }
    }

    @Test("Standard input is a source, from a pipe or a file, and is not cached")
    func standardInput() async throws {
        let photo = Fixtures.url(named: "Photos/coffee.jpg").path
        for input in ["cat \(photo) | kingfisher", "< \(photo) kingfisher"] {
            let result = try await tool.shell(
                "\(input) get - -p downsample:30x30 -o - --cache \(tool.cache) | wc -c")
            #expect(result.status == 0 && result.errors.isEmpty)
            #expect(try #require(Int(result.lines.first ?? "")) > 500)
        }
        #expect(tool.cachedFiles() == 0)
        let info = try await tool.shell("kingfisher info - --json < \(photo)")
        #expect(try #require(try info.objects().first)["format"] as? String == "jpeg")
        #expect(try await tool.shell("kingfisher get - < \(photo)").status == 0)
        #expect(try tool.folder.names().contains("image.jpg"))
    }

    @Test("An empty, corrupt or closed standard input is an error, and so is a second one")
    func brokenInput() async throws {
        for input in ["< /dev/null", "<&-", "< <(printf abcdefghijkl)", "< ."] {
            let result = try await tool.shell("kingfisher get - -o a.png \(input)")
            #expect(result.status == 1, "\(input)")
            #expect(result.errors.hasPrefix("kingfisher: -: "), "\(result.errors)")
        }
        #expect(try await tool("get", "-", "-").status == 2)
    }
}
