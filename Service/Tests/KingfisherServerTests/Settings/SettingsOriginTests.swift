import Foundation
import KingfisherService
import Testing

@testable import KingfisherServer

struct SettingsPrecedenceTests {
    @Test(
        arguments: [
            ("", "", "", 256), ("3", "", "", 3), ("3", "4", "", 4), ("3", "4", "5", 5), ("", "4", "5", 5),
            ("3", "", "5", 5), ("3", " ", "", 3),
        ])
    func `A flag has precedence over a variable, and a variable over the file`(
        _ file: String, _ variable: String, _ flag: String, _ expected: Int
    ) throws {
        let folder = try SettingsFolder()
        let lines = "signing = off\n" + (file.isEmpty ? "" : "max-frames = \(file)\n")
        let loaded = try folder.load(
            lines, arguments: flag.isEmpty ? [] : ["--max-frames", flag],
            environment: ["KINGFISHER_MAX_FRAMES": variable])
        #expect(loaded.settings.maximumFrames == expected)
    }

    @Test func `A value that another one replaces is not parsed`() throws {
        let folder = try SettingsFolder()
        #expect(try folder.problems("signing = off\nmax-frames = x", arguments: ["--max-frames=1"]) == [])
    }

    @Test func `Members of a family are replaced one by one`() throws {
        let folder = try SettingsFolder()
        let lines = "signing = off\npreset.a = bw\npreset.Big-Card = bw\npreset.c = bw"
        let loaded = try folder.load(
            lines, arguments: ["--preset.c", "fit:1x1"],
            environment: ["KINGFISHER_PRESET_BIG_CARD": "fit:2x2", "KINGFISHER_PRESET_NEW_ONE": "fit:3x3"])
        let expected = ["a": "bw", "Big-Card": "fit:2x2", "c": "fit:1x1", "new_one": "fit:3x3"]
        #expect(loaded.settings.urls.presets == expected)
    }

    @Test func `A variable names the file, and a flag another one`() throws {
        let folder = try SettingsFolder()
        let one = try folder.write("one.conf", "signing = off\nmax-frames = 1")
        let two = try folder.write("two.conf", "signing = off\nmax-frames = 2")
        let environment = ["KINGFISHER_CONFIG": one]
        let byVariable = try ServerSettings.load(arguments: [], environment: environment)
        let byFlag = try ServerSettings.load(arguments: ["--config=\(two)"], environment: environment)
        #expect([byVariable, byFlag].map(\.settings.maximumFrames) == [1, 2])
    }

    @Test func `No variable of a setting is the variable of another one`() {
        let all = ServerSettingDefinition.all
        #expect(Set(all.map(\.variable)).count == all.count)
        for setting in all where setting.kind != .family {
            #expect(SettingName.named(byVariable: setting.variable, among: []) == setting.name)
        }
    }
}

struct SettingsFileTests {
    @Test func `A file has spaces, comments, line breaks of Windows and a byte order mark`() throws {
        let folder = try SettingsFolder()
        let lines =
            "\u{FEFF}# c\r\n\r\n  signing=off\r\n\tmax-frames\t =  7 \r\n   # max-frames = 8\r\npreset.a = pad:9x9,#fff"
        let settings = try folder.load(lines).settings
        #expect(settings.maximumFrames == 7)
        #expect(settings.urls.presets == ["a": "pad:9x9,#fff"])
    }

    @Test(
        arguments: [
            ("maxframes = 1", "maxframes: There is no such setting. Did you mean max-frames?"),
            ("max_frames = 1", "max_frames: There is no such setting. Did you mean max-frames?"),
            ("Listen = x", "Listen: There is no such setting. Did you mean listen?"),
            ("presets.card = bw", "presets.card: There is no such setting. Did you mean preset.card?"),
            ("preset = bw", "preset: A name is missing, as in preset.NAME."),
            ("preset. = bw", "preset.: A name is missing, as in preset.NAME."),
            ("colour = red", "colour: There is no such setting."),
            ("max frames = 1", "This is not the name of a setting."),
            ("max-frames =", "max-frames: The value is missing."),
            ("max-frames", "A line is name = value."),
            ("= 1", "This is not the name of a setting."),
            ("config = other", "config: A file names no other file."),
            ("max-frames = 1 # one", "max-frames: '1 # one' is not a number from 1 to 10000."),
        ])
    func `A malformed line is refused`(_ line: String, _ expected: String) throws {
        let folder = try SettingsFolder()
        #expect(try folder.problems("signing = off\n\(line)") == ["DIR/s.conf:2: \(expected)"])
    }

    @Test func `A setting that a file has twice is refused`() throws {
        let folder = try SettingsFolder()
        let problems = try folder.problems("max-frames = 1\nsigning = off\nmax-frames = 1")
        #expect(problems == ["DIR/s.conf:3: max-frames: The setting already has a value in line 1."])
    }

    @Test func `All problems are reported, by line`() throws {
        let folder = try SettingsFolder()
        let problems = try folder.problems(
            "quality.webp = 101\nburst = 0\nx\npreset.b = fallback:q\npreset.a = nothing\nttl = x",
            arguments: ["--queue", "x"], environment: ["KINGFISHER_RATE": "x"])
        #expect(
            problems.map { $0.prefix { $0 != " " } } == [
                "--queue:", "environment:", "DIR/s.conf:1:", "DIR/s.conf:2:", "DIR/s.conf:3:",
                "DIR/s.conf:4:",
                "DIR/s.conf:5:", "DIR/s.conf:6:", "signing-keys-file:",
            ])
    }

    @Test func `A file that is missing or not text is refused`() throws {
        let folder = try SettingsFolder()
        func problems(_ arguments: [String], _ environment: [String: String] = [:]) -> String {
            do throws(SettingProblems) {
                _ = try ServerSettings.load(
                    arguments: ["--signing", "off"] + arguments, environment: environment)
                return ""
            } catch {
                return error.description
            }
        }
        let missing = folder.path + "/none"
        #expect(problems(["--config", missing]).hasSuffix("is not a file that can be read."))
        #expect(problems(["--config", missing]).hasPrefix("--config: '"))
        #expect(problems([], ["KINGFISHER_CONFIG": missing]).hasPrefix("environment: KINGFISHER_CONFIG: '"))
        try Data([0xFF, 0xFE]).write(to: folder.url.appending(path: "binary"))
        #expect(
            problems(["--config", folder.path + "/binary"])
                == "--config: The file is not text (UTF-8) of at most 1 MiB.")
    }

    @Test func `Relative paths start in the folder of the file`() throws {
        let folder = try SettingsFolder()
        try folder.writeSamples()
        let settings = try folder.load("signing-keys-file = keys\nfolder = x/../x").settings
        #expect(settings.folder?.path == folder.path + "/x")
    }
}

struct SettingsFlagTests {
    @Test(
        arguments: [
            (["--max-frames", "3"], 3), (["--max-frames=3"], 3), (["--max-frames= 3 "], 3),
        ])
    func `A flag has its value after a space or an equals sign`(_ arguments: [String], _ frames: Int) throws {
        let loaded = try SettingsFolder().load("signing = off", arguments: arguments)
        #expect(loaded.settings.maximumFrames == frames)
    }

    @Test(
        arguments: [
            (["--purge-public", "--max-frames", "3"], true, []),
            (["--purge-public", "on", "a"], true, ["a"]),
            (["--purge-public", "off", "a"], false, ["a"]), (["--purge-public=off"], false, []),
            (["a", "--purge-public", "b"], true, ["a", "b"]),
            (["--purge-public", "--", "--x"], true, ["--x"]),
        ] as [([String], Bool, [String])])
    func `A flag for on and off needs no value`(
        _ arguments: [String], _ isOn: Bool, _ others: [String]
    ) throws {
        let folder = try SettingsFolder()
        try folder.writeSamples()
        let loaded = try folder.load("signing = off\npurge-token-file = token", arguments: arguments)
        #expect(loaded.settings.purgesPublicly == isOn)
        #expect(loaded.arguments == others)
    }

    @Test(
        arguments: [
            (["--max-frame", "1"], "--max-frame: There is no such setting. Did you mean --max-frames?"),
            (["--max-frames"], "--max-frames: The value is missing."),
            (["--max-frames", "--queue", "1"], "--max-frames: The value is missing."),
            (["--max-frames="], "--max-frames: The value is missing."),
            (["--max-frames", "0"], "--max-frames: '0' is not a number from 1 to 10000."),
            (["--queue=1", "--queue=1"], "--queue: The setting already has a value."),
            (["--purge-public=yes"], "--purge-public: 'yes' is not on or off."),
            (["--preset", "bw"], "--preset: A name is missing, as in --preset.NAME."),
            (["-x"], "'-x': Flags start with two hyphens."),
        ])
    func `A malformed flag is refused`(_ arguments: [String], _ problem: String) throws {
        #expect(try SettingsFolder().problems("signing = off", arguments: arguments) == [problem])
    }
}

struct SettingsEnvironmentTests {
    @Test(
        arguments: [
            ("KINGFISHER_MAX_FRAMES", "x", "'x' is not a number from 1 to 10000."),
            ("KINGFISHER_MAXFRAMES", "1", "There is no such setting. Did you mean KINGFISHER_MAX_FRAMES?"),
            (
                "KINGFISHER_ALLOWED_PORT", "80",
                "There is no such setting. Did you mean KINGFISHER_ALLOWED_PORTS?"
            ),
            ("KINGFISHER_COLOUR", "1", "There is no such setting."),
            ("KINGFISHER_QUALITY_PNG", "1", "Formats with a quality are jpeg, webp, avif and jxl."),
            ("KINGFISHER_SHARED", "redis://127.0.0.1/7", "Only database 0 is supported."),
        ])
    func `A malformed variable is refused`(_ variable: String, _ value: String, _ reason: String) throws {
        let problems = try SettingsFolder().problems("signing = off", environment: [variable: value])
        #expect(problems == ["environment: \(variable): \(reason)"])
    }

    @Test(
        arguments: [
            "KINGFISHER_SERVICE_HOST", "KINGFISHER_PORT", "KINGFISHER_PORT_8080_TCP",
            "KINGFISHER_SERVICE_PORT",
            "KINGFISHER_PORT_8080_TCP_ADDR", "KINGFISHER_SERVICE_PORT_HTTP", "KINGFISHER_SERVER_SERVICE_HOST",
            "KINGFISHER_SERVER_PORT_80_TCP_PROTO", "KINGFISHER_REDIS_PASSWORD", "KINGFISHERX", "OTHER",
        ])
    func `Variables of Kubernetes, the library and others are ignored`(_ variable: String) throws {
        #expect(try SettingsFolder().problems("signing = off", environment: [variable: "tcp://x"]) == [])
    }

    @Test func `The password of the shared cache may be a variable`() throws {
        let environment = ["KINGFISHER_SHARED": "redis://u@127.0.0.1", "KINGFISHER_REDIS_PASSWORD": "p"]
        #expect(try SettingsFolder().problems("signing = off", environment: environment) == [])
    }
}
