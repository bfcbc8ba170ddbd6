import Foundation
import Kingfisher
import KingfisherService
import Synchronization
import Testing

@testable import KingfisherServer

/// A run of `kingfisher-server`.
private struct Run {
    let status: Int32
    let output: [String]
    let errors: [String]
    let served: ServerSettings?

    init(_ arguments: [String], _ environment: [String: String] = [:], failure: (any Error)? = nil) async {
        let output = Mutex<[String]>([])
        let errors = Mutex<[String]>([])
        let served = Mutex<ServerSettings?>(nil)
        let tool = ServerTool(
            environment: environment, print: { line in output.withLock { $0.append(line) } },
            printError: { line in errors.withLock { $0.append(line) } })
        status = await tool.run(arguments) { loaded in
            served.withLock { $0 = loaded.settings }
            if let failure { throw failure }
        }
        self.output = output.withLock { $0 }
        self.errors = errors.withLock { $0 }
        self.served = served.withLock { $0 }
    }
}

struct SettingsToolTests {
    @Test(arguments: [[], ["serve"], ["--queue", "7", "serve"], ["serve", "--queue=7"]])
    func `Without a command, and with serve, the server starts`(_ arguments: [String]) async {
        let run = await Run(arguments + ["--signing=off"])
        #expect(run.status == 0 && run.output.isEmpty && run.errors.isEmpty)
        #expect(run.served?.load.queueLength == (arguments.count > 1 ? 7 : nil))
        #expect(run.served?.listen == .tcp(host: "127.0.0.1", port: 8_080))
    }

    @Test func `A server that fails ends with status 1 and the reason`() async {
        let failure = ServiceError(503, "The port is used.")
        let run = await Run(["--signing=off"], failure: failure)
        #expect(run.status == 1)
        #expect(run.errors == ["kingfisher-server: The port is used."])
    }

    @Test func `Wrong settings do not start the server`() async {
        let run = await Run(["--queue", "x", "--burst", "0"])
        #expect(run.status == 1 && run.served == nil && run.errors.count == 3)
    }

    @Test func `A check prints ok, or all problems`() async {
        let good = await Run(["check", "--signing", "off"])
        #expect(good.status == 0 && good.output == ["ok"] && good.served == nil)
        let bad = await Run(["check", "--queue", "x"])
        #expect(bad.status == 1 && bad.output.isEmpty)
        #expect(bad.errors.first == "--queue: 'x' is not a number from 0 to 100000.")
        #expect(bad.errors.count == 2)
    }

    @Test func `Warnings go to standard error, and the check succeeds`() async throws {
        let folder = try SettingsFolder()
        let keys = try folder.write("keys", SettingsFolder.key, mode: 0o644)
        let run = await Run(["check", "--signing-keys-file", keys])
        #expect(run.status == 0 && run.output == ["ok"])
        #expect(run.errors == ["warning: --signing-keys-file: Every user may read the file; run chmod o-r."])
    }

    @Test func `A path is signed with the first key`() async throws {
        let folder = try SettingsFolder()
        let keys = try folder.write("keys", SettingsFolder.key)
        let path = "/fit:300x300/plain/https://example.com/a.jpg"
        let run = await Run(["sign", path, "--signing-keys-file", keys, "--native-prefix=/k"])
        #expect(run.status == 0 && run.errors.isEmpty)
        var settings = ServiceSettings(
            signing: .keys([try #require(SigningKey(Array(repeating: 10, count: 32)))]))
        settings.nativePrefix = "/k"
        #expect(run.output == [try ServiceURLs(settings).sign(path: path)])
        let request = try ServiceURLs(settings).request(path: run.output[0], now: 0)
        #expect(request.steps.count == 1)
    }

    @Test func `A check stores no key of a development server, and signing does`() async throws {
        let folder = try SettingsFolder()
        let flags = ["--development", "--cache-folder", folder.path]
        let check = await Run(["check"] + flags)
        #expect(check.output == ["ok"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        let sign = ["sign", "/bw/plain/http://a/"] + flags
        let runs = [await Run(sign), await Run(sign)]
        #expect(runs[0].status == 0 && runs[0].output == runs[1].output)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["development-key"])
    }

    @Test func `A path with an unknown step is not signed, and one of a refused source with a warning`() async
    {
        let wrong = await Run(["sign", "/width:9/plain/http://a/", "--signing=off"])
        #expect(wrong.status == 1 && wrong.output.isEmpty)
        #expect(wrong.errors.first?.contains("'width'") == true)
        #expect(wrong.errors.first?.hasSuffix("(character 2)") == true)
        let refused = await Run(["sign", "/plain/local:///a.jpg", "--signing=off"])
        #expect(refused.status == 0 && refused.output == ["/unsafe/plain/local:///a.jpg"])
        #expect(refused.errors == ["warning: The settings do not allow the source."])
    }

    @Test func `Variables of imgproxy are imported from the environment, or only from a file`() async throws {
        let folder = try SettingsFolder()
        let file = try folder.write(
            "imgproxy.env",
            """
            # IMGPROXY_TTL=1
            IMGPROXY_QUALITY=71
            export IMGPROXY_PRESETS="default=q:50,sharp=sh:0.7"\r
             IMGPROXY_BASE_URL = 'https://a.example/'
            IMGPROXY_KEY=00ff
            IMGPROXY_SALT=11
            IMGPROXY_LOCAL_FILESYSTEM_ROOT=

            no variable
            """)
        let variables = ["IMGPROXY_TTL": "5"]
        let run = await Run(["import-imgproxy", file], variables)
        #expect(run.status == 0 && run.errors.isEmpty)
        let lines = run.output.joined().split(separator: "\n")
        #expect(lines.contains("quality.jpeg = 71"))
        #expect(lines.contains("imgproxy-presets = default=q:50,sharp=sh:0.7"))
        #expect(lines.contains("source-base = https://a.example/"))
        #expect(!lines.contains { $0.hasPrefix("ttl") || $0.hasPrefix("folder") })
        let without = await Run(["import-imgproxy"], variables)
        #expect(without.output.joined().contains("\nttl = 5 s\n"))
        let missing = await Run(["import-imgproxy", file + "x"], variables)
        #expect(missing.status == 1 && missing.output.isEmpty && missing.errors.count == 1)
        let none = await Run(["import-imgproxy"], ["PATH": "/usr/bin", "IMGPROXY_TTL": " "])
        #expect(none.status == 1 && none.output.isEmpty)
        #expect(none.errors == ["kingfisher-server: no variable IMGPROXY_… has a value."])
    }

    @Test func `A path that is not encoded is not signed`() async {
        let run = await Run(["sign", "/plain/a b", "--signing=off"])
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(
            run.errors == [
                "kingfisher-server: The path starts with a slash, and is percent-encoded. (character 9)"
            ])
    }

    @Test(
        arguments: [
            (["start"], "There is no command 'start'."), (["sign"], "The command sign has one argument."),
            (["sign", "/a", "/b"], "The command sign has one argument."),
            (["check", "x"], "The command check has no argument."),
            (["import-imgproxy", "a", "b"], "The command import-imgproxy has at most one argument."),
            (["print-settings", "x"], "print-settings prints page, manual or example."),
        ])
    func `Wrong usage has status 2`(_ arguments: [String], _ reason: String) async {
        let run = await Run(arguments)
        #expect(run.status == 2 && run.output.isEmpty)
        #expect(run.errors.first == "kingfisher-server: \(reason)")
        #expect(run.errors.last?.hasPrefix("usage: kingfisher-server") == true)
    }

    @Test(arguments: [["--help"], ["-h"], ["sign", "--help"], ["--wrong", "--help"]])
    func `The help needs no valid settings`(_ arguments: [String]) async {
        let run = await Run(arguments, ["COLUMNS": "80"])
        #expect(run.status == 0)
        #expect(run.output.map { $0 + "\n" } == [SettingsHelp.text(width: 80)])
    }

    @Test func `The version is the version of the library`() async {
        let run = await Run(["--version"])
        #expect(run.status == 0 && run.output == ["kingfisher-server \(kingfisherVersion)"])
    }

    @Test func `The page, the manual and the example are printed`() async {
        let runs = [
            await Run(["print-settings", "page"]), await Run(["print-settings", "manual"]),
            await Run(["print-settings", "example"]),
        ]
        let texts = [SettingsPage.markdown(), SettingsManual.page(), SettingsPage.example()]
        #expect(runs.map { $0.output.joined() + "\n" } == texts)
    }
}
