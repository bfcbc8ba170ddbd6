import Kingfisher
import Testing

@Suite("Usage")
struct UsageTests {
    private let tool = Tool()

    @Test(
        "Wrong usage exits with 2, prints the reason, and does nothing",
        arguments: [
            [], ["bogus"], ["--bogus"], ["get"], ["info"], ["processors", "x"],
            ["get", "a.png", "--bogus"],
            ["get", "a.png", "-p", "sharpens:1"],
            ["get", "a.png", "-p", "round:nan"],
            ["get", "a.png", "-p", "resize:-1x5"],
            ["get", "a.png", "-p", "border:4,white"],
            ["get", "a.png", "-p", "blend:dissolve"],
            ["get", "a.png", "-p", "bw:1"],
            ["get", "a.png", "-p", "round:8,tl,white"],
            ["get", "a.png", "-p", "resize:99999x99999"],
            ["get", "a.png", "-f", "tiff"],
            ["get", "a.png", "-o", "a.xcf"],
            ["get", "a.png", "-o", ""],
            ["get", "a.png", "--quality", "0"],
            ["get", "a.png", "--quality", "101"],
            ["get", "a.png", "--quality", "x"],
            ["get", "a.png", "--quality", "50", "-f", "png"],
            ["get", "a.png", "--quality", "50", "-o", "a.png"],
            ["get", "a.png", "--quality", "50", "-f", "apng"],
            ["get", "a.png", "--quality", "50", "-o", "a.gif"],
            ["get", "a.webp", "--lossless"],
            ["get", "a.png", "--lossless", "-f", "png"],
            ["get", "a.png", "--lossless", "-o", "a.jpg"],
            ["get", "a.png", "--lossless", "--quality", "50", "-f", "webp"],
            ["get", "a.png", "--cache", "x", "--no-cache"],
            ["get", "a.png", "--cache", ""],
            ["get", "a.png", "--only-from-cache", "--refresh"],
            ["get", "a.png", "--only-from-cache", "--no-cache"],
            ["get", "a.png", "b.png", "-o", "-"],
            ["get", "a.png", "b.png", "-o", "one.png"],
            ["get", "a.png", "--cacert", "missing.pem"],
            ["get", "a.png", "--cacert", "/dev/null"],
            ["info", "a.png", "--cacert", "/"],
            ["get", "a.png", "-o", "-", "--json"],
            ["montage", "a.png"], ["montage", "-o", "a.png"], ["montage", "a.png", "-o", "/"],
            ["montage", "a.png", "-o", "b.png", "--cell", "15x15"],
            ["montage", "a.png", "-o", "b.png", "--cell", "200"],
            ["montage", "a.png", "-o", "b.png", "--columns", "0"],
            ["montage", "a.png", "-o", "b.png", "--gap", "-1"],
            ["montage", "a.png", "-o", "b.png", "--background", "red"],
            ["montage", "a.png", "-o", "b.xcf"], ["montage", "a.png", "-o", "-", "--json"],
            ["montage", "a.png", "-o", "b.png", "--quality", "50"], ["montage", "-", "-", "-o", "b.png"],
            ["montage", "-o", "b.png", "--cell", "4096x4096"] + (0..<6).map { "\($0).png" },
            ["montage", "-o", "b.png", "--cell", "4096x16"] + (0..<20).map { "\($0).png" }
                + ["--columns", "20"],
            ["cache"], ["cache", "bogus"], ["cache", "path"], ["cache", "remove"],
            ["cache", "list", "a.png"],
            ["get", "a.png", "--key-rule", "drop:"],
            ["cache", "remove", "a.png", "--key-rule", "signed"],
            ["cache", "info", "--cache", ""], ["cache", "path", "a.png", "-p", "sharpens:1"],
            ["cache", "clean", "--repair"],
            ["cache", "info", "--shared", "redis://127.0.0.1:1"],
        ] as [[String]])
    func wrong(arguments: [String]) async throws {
        let result = try await tool.run(arguments)
        #expect(result.status == 2)
        #expect(result.output.isEmpty)
        #expect(result.errors.hasPrefix("kingfisher: "))
        #expect(result.errors.contains("Usage: kingfisher"))
        #expect(try tool.folder.names() == [])
    }

    @Test(
        "Help is printed to standard output and exits with 0",
        arguments: [
            ["--help"], ["get", "--help"], ["help", "info"], ["cache", "--help"],
            ["cache", "verify", "--help"],
        ])
    func help(arguments: [String]) async throws {
        let result = try await tool.run(arguments)
        #expect(result.status == 0)
        #expect(result.lines.contains { $0.hasPrefix("USAGE: kingfisher") })
        #expect(result.errors.isEmpty)
    }

    @Test("The version is that of the library") func version() async throws {
        let result = try await tool("--version")
        #expect(result.status == 0)
        #expect(result.lines == ["kingfisher \(kingfisherVersion)"])
    }

    @Test("A missing subcommand lists the choices and the command's usage")
    func group() async throws {
        let all = try await tool().errors
        #expect(
            all.hasPrefix(
                """
                kingfisher: Missing subcommand; choose get, montage, edit, info, processors, formats, cache or doctor
                Usage: kingfisher get|
                """))
        #expect(all.hasSuffix("  See 'kingfisher --help' for more information.\n"))
        let cache = try await tool("cache").errors
        #expect(
            cache.hasPrefix(
                """
                kingfisher: Missing subcommand; choose info, list, path, remove, clean, clear or verify
                Usage: kingfisher cache info|
                """))
        #expect(cache.hasSuffix("  See 'kingfisher cache --help' for more information.\n"))
    }

    @Test("An unknown format lists the supported ones") func formats() async throws {
        for arguments in [["-f", "xcf"], ["-o", "a.xcf"]] {
            let errors = try await tool.run(["get", "a.png"] + arguments).errors
            for name in ["apng", "gif", "jpeg", "png"] { #expect(errors.contains(name)) }
        }
    }

    @Test("processors lists every step")
    func processors() async throws {
        let result = try await tool("processors")
        #expect(result.status == 0)
        let usages = StepGrammar.standard.definitions.map(\.usage)
        #expect(usages.count >= 18 && usages.contains("resize:WxH[,fit|fill]"))
        for usage in usages { #expect(result.lines.contains(usage)) }
    }
}
