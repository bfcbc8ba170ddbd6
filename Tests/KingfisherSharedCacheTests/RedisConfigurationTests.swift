import Foundation
import Testing

@testable import KingfisherSharedCache

struct RedisConfigurationTests {
    private func read(
        _ url: String, _ environment: [String: String] = [:]
    ) throws(RedisConfigurationError) -> RedisConfiguration {
        try RedisConfiguration(url: url, environment: environment)
    }

    @Test("A URL names user, host, port, TLS and options")
    func url() throws {
        let url = "rediss://im%40ge@cache.example.com:7000/?ca=%2Fca.pem&connections=4&connect-timeout=50"
        let configuration = try read(url + "&response-timeout=70", ["KINGFISHER_REDIS_PASSWORD": "pw"])
        #expect(configuration.nodes.map(\.description) == ["cache.example.com:7000"])
        #expect(configuration.usesTLS && !configuration.isCluster && configuration.user == "im@ge")
        #expect(configuration.trustAnchors == "/ca.pem" && configuration.connectionsPerNode == 4)
        #expect(configuration.connectTimeout == .milliseconds(50))
        #expect(configuration.responseTimeout == .milliseconds(70))
        #expect(configuration.password?.secret == "pw")
    }

    @Test("A cluster has several nodes; the port is 6379 if there is none")
    func cluster() throws {
        let configuration = try read("redis://a:1,b,[::1]:3,[::2]?cluster=true")
        #expect(configuration.nodes.map(\.description) == ["a:1", "b:6379", "[::1]:3", "[::2]:6379"])
        #expect(configuration.isCluster && !configuration.usesTLS && configuration.password == nil)
    }

    @Test(
        "Other URLs are refused with the reason",
        arguments: [
            ("http://a", RedisConfigurationError.scheme), ("redis://", .address), ("redis://a:x", .address),
            ("redis://a,b", .address), ("redis://a b", .address), ("redis://u:secret@a", .passwordInURL),
            ("redis://a/3", .database), ("redis://a?x=1", .unknownOption("x")),
            ("redis://a?cluster=maybe", .invalidOption("cluster")),
            ("redis://a?connections=0", .invalidOption("connections")),
            ("redis://a?connect-timeout=-1", .invalidOption("connect-timeout")),
            ("redis://a?password-file=/nonexistent", .unreadablePasswordFile("/nonexistent")),
            ("redis://user@a", .missingPassword), ("redis://a?password-env=UNSET", .missingPassword),
        ])
    func refused(_ url: String, _ error: RedisConfigurationError) {
        #expect(throws: error) { try read(url) }
    }

    @Test("A password comes from a file or a named variable, and is not printed")
    func password() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "password-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("secret-1\n".utf8).write(to: file)
        let url = "redis://a/?password-file=\(file.path)"
        let fromFile = try read(url, ["KINGFISHER_REDIS_PASSWORD": "secret-2"])
        #expect(fromFile.password?.secret == "secret-1")
        let fromVariable = try read("redis://a?password-env=PW", ["PW": "secret-3"])
        #expect(fromVariable.password?.secret == "secret-3")
        for configuration in [fromFile, fromVariable] {
            var dumped = ""
            dump(configuration, to: &dumped)
            #expect(!dumped.contains("secret-") && !"\(configuration)".contains("secret-"))
            #expect(!String(reflecting: configuration).contains("secret-"))
        }
        let command = RedisCommand("HELLO", ["3", "AUTH", "user", "secret-4"])
        var dumped = ""
        dump(command, to: &dumped)
        #expect(!dumped.contains("secret-") && "\(command)" == "HELLO")
    }
}
