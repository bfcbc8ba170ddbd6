import Foundation
import Glibc
import Kingfisher
import KingfisherSharedCache
import KingfisherSteps
import Testing

@testable import KingfisherCLI

@Suite("kingfisher cache --shared", .timeLimit(.minutes(1)))
struct SharedCacheTests {
    private let tool = Tool()
    private let source = "https://user:secret@example.com/a.jpg"

    private func cache(_ engine: LocalEngine, _ arguments: String...) async throws -> Tool.Result {
        try await tool.run(["cache"] + arguments + ["--shared", engine.url])
    }

    private func key(_ steps: [ProcessingStep]) throws -> TierKey {
        try #require(try CacheKeys(steps: steps).tierKeys(for: source).first)
    }

    private func has(_ key: TierKey, _ tier: RedisTier) async throws -> Bool {
        if case .hit = try await tier.read(key) { true } else { false }
    }

    @Test("remove removes the image that a server's processor makes, and no other")
    func remove() async throws {
        let engine = try await LocalEngine()
        let tier = try RedisTier(url: engine.url)
        let url = try #require(URL(string: source))
        let server = TierKey(
            cacheKey: url.cacheKey,
            processorIdentifier: DownsamplingImageProcessor(size: CGSize(width: 30, height: 20)).identifier)
        #expect(try server == key([ProcessingStep("downsample:30x20")]))
        let original = try key([])
        for key in [server, original] {
            try await tier.write(TierEntry(data: Data([1])), for: key, lease: nil)
        }
        let result = try await cache(engine, "remove", source, "-p", "downsample:30x20")
        #expect(result.status == 0 && result.errors.isEmpty)
        #expect(result.lines == ["removed https://example.com/a.jpg"])
        #expect(try await !has(server, tier))
        #expect(try await has(original, tier))
        // Nothing is left to remove, which is no error.
        let again = try await cache(engine, "remove", source, "-p", "downsample:30x20", "--json").objects()
        #expect(again.first?["source"] as? String == "https://example.com/a.jpg")
    }

    @Test("invalidate invalidates the images that have the tag, in the version")
    func invalidate() async throws {
        let engine = try await LocalEngine()
        var options = RedisTierOptions()
        options.version = "2"
        options.tagMemory = .zero
        let (first, second) = (
            try RedisTier(url: engine.url), try RedisTier(url: engine.url, options: options)
        )
        let key = try key([])
        for tier in [first, second] {
            try await tier.write(TierEntry(data: Data([1]), tags: ["a"]), for: key, lease: nil)
        }
        let result = try await cache(engine, "invalidate", "a", "--shared-version", "2")
        #expect(result.status == 0 && result.lines == ["invalidated a"])
        #expect(try await has(key, first))
        #expect(try await !has(key, second))
    }

    @Test("info prints a line for the node, or an object")
    func info() async throws {
        let engine = try await LocalEngine()
        try await RedisTier(url: engine.url).write(TierEntry(data: Data([1])), for: key([]), lease: nil)
        let lines = try await cache(engine, "info").lines
        #expect(lines.count == 2 && lines.first?.hasPrefix("node ") == true)
        #expect(lines.last?.hasPrefix("127.0.0.1:\(engine.port)") == true)
        let object = try #require(try await cache(engine, "info", "--json").objects().first)
        #expect(object["keys"] as? Int == 1 && object["limit"] is NSNull)
        #expect(["redis", "valkey"].contains(object["engine"] as? String))
    }

    @Test("A wrong or missing password, and a dead engine, are errors without the password")
    func errors() async throws {
        let engine = try await LocalEngine(["--requirepass", "right"])
        let secret = tool.folder.path("password")
        try Data("right\n".utf8).write(to: URL(filePath: secret))
        let wrong = try await tool.run(
            ["cache", "info", "--shared", engine.url],
            environment: ["KINGFISHER_REDIS_PASSWORD": "wrong-secret"])
        #expect(wrong.status == 1 && wrong.errors.contains("WRONGPASS"))
        #expect(!wrong.errors.contains("wrong-secret"))
        let missing = try await cache(engine, "invalidate", "a", "--json")
        #expect(missing.status == 1 && missing.errors.contains("NOAUTH"))
        let right = try await tool("cache", "info", "--shared", "\(engine.url)/?password-file=\(secret)")
        #expect(right.status == 0 && right.errors.isEmpty)
        let dead = try await tool("cache", "remove", source, "--shared", "redis://127.0.0.1:1")
        #expect(dead.status == 1 && dead.errors.contains("cannot be reached"))
        let url = try await tool("cache", "info", "--shared", "redis://u:topsecret@127.0.0.1")
        #expect(url.status == 2 && url.errors.contains("password-file") && !url.errors.contains("topsecret"))
    }
}

/// A redis-server on 127.0.0.1, stopped at the end.
private final class LocalEngine: Sendable {
    let port: Int
    private let process: Process

    init(_ options: [String] = []) async throws {
        for _ in 0..<20 {
            let port = Int.random(in: 20_000..<60_000)
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/redis-server")
            process.arguments = ["--port", "\(port)", "--bind", "127.0.0.1", "--save", ""] + options
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            // It ends at once if the port is in use.
            for _ in 0..<200 where process.isRunning {
                let client = try NIORedisClient(RedisConfiguration(url: "redis://127.0.0.1:\(port)"))
                do throws(RedisError) {
                    _ = try await client.send(RedisCommand("PING"))
                } catch {
                    guard error.hasReply else {
                        try await Task.sleep(for: .milliseconds(20))
                        continue
                    }
                }
                (self.port, self.process) = (port, process)
                return
            }
            Self.end(process)
        }
        throw CocoaError(.fileReadUnknown)
    }

    deinit { Self.end(process) }

    /// The process inherits a mask that blocks SIGTERM.
    private static func end(_ process: Process) {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    var url: String { "redis://127.0.0.1:\(port)" }
}

extension RedisError {
    fileprivate var hasReply: Bool { if case .server = self { true } else { false } }
}
