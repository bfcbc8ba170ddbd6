import Foundation
import KingfisherService
import Testing

@testable import KingfisherServer

struct SettingsSecretTests {
    private static let secret = String(repeating: "5ec1e7", count: 11)

    @Test(arguments: [0o600, 0o400, 0o640, 0o440])
    func `A file that only its user and group read is accepted`(_ mode: Int) throws {
        let folder = try SettingsFolder()
        try folder.write("k", SettingsFolder.key, mode: mode)
        #expect(try folder.load("signing-keys-file = k").warnings.isEmpty)
    }

    @Test(arguments: [0o644, 0o444, 0o604])
    func `A file that every user reads is a warning`(_ mode: Int) throws {
        let folder = try SettingsFolder()
        try folder.write("k", SettingsFolder.key, mode: mode)
        let warnings = try folder.load("signing-keys-file = k").warnings.map(\.description)
        #expect(
            warnings.map { $0.replacing(folder.path, with: "DIR") }
                == ["DIR/s.conf:1: signing-keys-file: Every user may read the file; run chmod o-r."])
    }

    @Test(arguments: [0o660, 0o620, 0o602, 0o666])
    func `A file that others write is refused`(_ mode: Int) throws {
        let folder = try SettingsFolder()
        try folder.write("k", SettingsFolder.key, mode: mode)
        let problems = try folder.problems("signing-keys-file = k")
        #expect(
            problems == ["DIR/s.conf:1: signing-keys-file: Other users may write the file; run chmod go-w."])
    }

    @Test(
        arguments: [
            ("", "The file has 0 lines with keys, not 1 to 4."),
            (
                String(repeating: SettingsFolder.key + "\n", count: 5),
                "The file has 5 lines with keys, not 1 to 4."
            ),
            (
                SettingsFolder.key + "\n" + secret + "x",
                "Key 2 is not at least 64 hexadecimal digits; openssl rand -hex 32 makes one."
            ),
            (
                String(secret.prefix(62)),
                "Key 1 is not at least 64 hexadecimal digits; openssl rand -hex 32 makes one."
            ),
        ])
    func `Malformed keys are refused`(_ text: String, _ reason: String) throws {
        let folder = try SettingsFolder()
        try folder.write("k", text)
        #expect(
            try folder.problems("signing-keys-file = k") == ["DIR/s.conf:1: signing-keys-file: \(reason)"])
    }

    @Test func `Several keys are accepted, with comments, and the first one signs`() throws {
        let folder = try SettingsFolder()
        let keys = ["11", "22"].map { String(repeating: $0, count: 32) }
        try folder.write("k", "# new\n\(keys[0].uppercased())\r\n\n# old\n \(keys[1]) \n")
        let urls = try folder.load("signing-keys-file = k").settings.urls
        let key = try #require(SigningKey(Array(repeating: 0x11, count: 32)))
        let expected = try ServiceURLs(ServiceSettings(signing: .keys([key]))).sign(path: "/bw/plain/a")
        #expect(try ServiceURLs(urls).sign(path: "/bw/plain/a") == expected)
        guard case .keys(let read) = urls.signing else { throw CocoaError(.featureUnsupported) }
        #expect(read.count == 2)
    }

    @Test(
        arguments: [
            "signing-keys-file", "purge-token-file", "thumbor-key-file", "imgproxy-keys-file",
            "s3-credentials-file",
        ])
    func `A secret in the place of its file is in no message`(_ name: String) throws {
        let folder = try SettingsFolder()
        for arguments in [["--\(name)", Self.secret], ["--\(name)=\(Self.secret)"], ["--\(Self.secret)"]] {
            let problems = try folder.problems("s = 1", arguments: arguments)
            #expect(!problems.isEmpty && !problems.contains { $0.contains(Self.secret.prefix(12)) })
        }
        let problems = try folder.problems("\(Self.secret)\n\(Self.secret) = x\n\(name) = \(Self.secret)")
        #expect(problems.count >= 3 && !problems.contains { $0.contains(Self.secret.prefix(12)) })
    }

    @Test(arguments: ["signing-keys-file", "imgproxy-keys-file", "thumbor-key-file", "purge-token-file"])
    func `The contents of a file with secrets are in no message`(_ name: String) throws {
        let folder = try SettingsFolder()
        try folder.write("k", "\(Self.secret)x y z\n\(Self.secret)\n")
        let problems = try folder.problems("\(name) = k")
        #expect(!problems.isEmpty && !problems.contains { $0.contains(Self.secret.prefix(12)) })
    }

    @Test func `A password in the URL of the shared cache is in no message`() throws {
        let problems = try SettingsFolder().problems(
            "signing = off\nshared = redis://127.0.0.1/?\(Self.secret)=verysecret&verysecret")
        #expect(problems.count == 1 && !problems[0].contains("verysecret"))
        #expect(!problems[0].contains(Self.secret))
    }

    @Test func `Credentials of systemd are found by name, and a variable has precedence`() throws {
        let folder = try SettingsFolder()
        try folder.write("signing-keys-file", SettingsFolder.key, mode: 0o400)
        try folder.write("purge-token-file", "of-the-credentials")
        try folder.write("listen", "not a secret")
        let token = try folder.write("token", "of-the-environment")
        var environment = ["CREDENTIALS_DIRECTORY": folder.path]
        var settings = try folder.load(environment: environment).settings
        #expect(settings.purgeToken == "of-the-credentials")
        #expect(settings.listen == .tcp(host: "127.0.0.1", port: 8_080))
        environment["KINGFISHER_PURGE_TOKEN_FILE"] = token
        settings = try folder.load("purge-token-file = none", environment: environment).settings
        #expect(settings.purgeToken == "of-the-environment")
        try FileManager.default.removeItem(atPath: folder.path + "/signing-keys-file")
        try folder.write("signing-keys-file", "x")
        let problems = try folder.problems(environment: environment)
        #expect(
            problems == [
                "credentials: signing-keys-file: Key 1 is not at least 64 hexadecimal digits;"
                    + " openssl rand -hex 32 makes one."
            ])
    }

    @Test func `A named pipe does not block`() throws {
        let folder = try SettingsFolder()
        try #require(mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(
            try folder.problems("signing-keys-file = pipe") == [
                "DIR/s.conf:1: signing-keys-file: The path is not a file."
            ])
    }
}

struct SettingsDevelopmentTests {
    @Test func `A key is made in the cache folder, and used again`() throws {
        let folder = try SettingsFolder()
        let lines = "development = on\ncache-folder = cache/images"
        let first = try folder.load(lines).settings
        let second = try folder.load(lines).settings
        let paths = try [first, second].map { try ServiceURLs($0.urls).sign(path: "/bw/plain/a") }
        #expect(paths[0] == paths[1] && !paths[0].hasPrefix("/unsafe"))
        let file = folder.path + "/cache/images/development-key"
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try String(contentsOfFile: file, encoding: .utf8).trimmedSpaces.count == 65)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/cache/images")
        #expect(names == ["development-key"])
    }

    @Test func `Servers that start at the same time have the same key`() async throws {
        let folder = try SettingsFolder()
        let cache = folder.url.appending(path: "cache")
        let keys = try await withThrowingTaskGroup(of: SigningKey.self) { group in
            for _ in 0..<16 { group.addTask { try DevelopmentKey(folder: cache).key(stores: true) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }

    @Test func `Two servers have two keys`() throws {
        let paths = try (0..<2).map { _ in
            let urls = try SettingsFolder().load("development = on").settings.urls
            return try ServiceURLs(urls).sign(path: "/bw/plain/a")
        }
        #expect(paths[0] != paths[1])
    }

    @Test func `A check stores no key`() throws {
        let folder = try SettingsFolder()
        _ = try folder.load("development = on\ncache-folder = cache", makesKey: false)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/cache"))
    }

    @Test func `Wrong settings store no key`() throws {
        let folder = try SettingsFolder()
        #expect(try folder.problems("development = on\ncache-folder = cache\nqueue = x").count == 1)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/cache"))
    }

    @Test func `A key of a file is used, and none is made`() throws {
        let folder = try SettingsFolder()
        try folder.writeSamples()
        _ = try folder.load("development = on\ncache-folder = cache\nsigning-keys-file = keys")
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/cache"))
    }

    @Test(
        arguments: [
            ("listen = 0.0.0.0:80", "listen"), ("listen = [::]:80", "listen"),
            ("listen = 192.0.2.1:80", "listen"), ("listen = 127.example.com:80", "listen"),
            ("admin-listen = 0.0.0.0:80", "admin-listen"),
        ])
    func `A development server is on loopback`(_ line: String, _ name: String) throws {
        let problems = try SettingsFolder().problems("development = on\n\(line)")
        #expect(problems == ["DIR/s.conf:2: \(name): A development server is on loopback."])
    }

    @Test func `A stored key that others write is refused`() throws {
        let folder = try SettingsFolder()
        try folder.write("development-key", SettingsFolder.key, mode: 0o666)
        let problems = try folder.problems("development = on\ncache-folder = .")
        #expect(
            problems.count == 1 && problems[0].hasSuffix("Other users may write the file; run chmod go-w."))
        #expect(problems[0].hasPrefix("DIR/s.conf:1: development: The key in 'DIR/development-key'"))
    }

    @Test func `A stored key that is a link is refused`() throws {
        let folder = try SettingsFolder()
        try folder.writeSamples()
        try FileManager.default.createSymbolicLink(
            at: folder.url.appending(path: "development-key"),
            withDestinationURL: folder.url.appending(path: "keys"))
        let problems = try folder.problems("development = on\ncache-folder = .")
        #expect(problems.count == 1 && problems[0].hasSuffix("It is not a file of this user."))
    }

    @Test func `The folder of systemd is the default, and then the user's`() {
        let systemd = ["CACHE_DIRECTORY": "/var/cache/k:/other", "HOME": "/h"]
        #expect(DefaultFolder.caches(systemd)?.path == "/var/cache/k")
        #expect(DefaultFolder.caches(["HOME": "/h"])?.path == "/h/.cache/kingfisher-server")
        let user = ["HOME": "/h", "XDG_CACHE_HOME": "/c"]
        #expect(DefaultFolder.caches(user)?.path == "/c/kingfisher-server")
        #expect(DefaultFolder.caches(["XDG_CACHE_HOME": "relative"]) == nil)
    }
}

struct SettingsConflictTests {
    @Test(
        arguments: [
            (
                "listen = 127.0.0.1:1",
                "signing-keys-file: URLs are signed, and there is no key; openssl rand -hex 32 makes one, and"
                    + " development needs none."
            ),
            (
                "signing = off\nlisten = 0.0.0.0:80",
                "DIR/s.conf:1: signing: Only a server on loopback may accept URLs without signatures."
            ),
            (
                "signing = off\nlisten = example.com:80",
                "DIR/s.conf:1: signing: Only a server on loopback may accept URLs without signatures."
            ),
            (
                "signing = off\nimgproxy-prefix = /a\nnative-prefix = /a",
                "DIR/s.conf:2: imgproxy-prefix: The value of native-prefix is the same."
            ),
            (
                "signing = off\nimgproxy-prefix = /info",
                "DIR/s.conf:2: imgproxy-prefix: The native reader has this path."
            ),
            (
                "signing = off\nimgproxy-keys-file = pairs\nimgproxy-watermark = logo",
                "DIR/s.conf:3: imgproxy-watermark: No watermark has this name."
            ),
            (
                "signing = off\npreset.a = watermark:logo",
                "DIR/s.conf:2: preset.a: No watermark 'logo' is configured."
            ),
            (
                "signing = off\nmax-result-side = 100\npreset.a = fit:200x200",
                "DIR/s.conf:3: preset.a: "
            ),
            (
                "signing = off\nlisten = 127.0.0.1:7\nadmin-listen = 127.0.0.1:7",
                "DIR/s.conf:3: admin-listen: Clients connect there."
            ),
            (
                "signing = off\ns3-buckets = ab",
                "DIR/s.conf:2: s3-buckets: 'ab' is not a bucket."
            ),
        ])
    func `Settings that contradict each other are refused`(_ lines: String, _ problem: String) throws {
        let folder = try SettingsFolder()
        try folder.writeSamples()
        let problems = try folder.problems(
            lines, environment: ["AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "S"])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(problem) == true, "\(problems)")
    }

    @Test func `Independent conflicts are all reported`() throws {
        let problems = try SettingsFolder().problems(
            """
            signing = off
            allowed-sources = x
            native-prefix = y
            preset.a = z
            preset.b = fallback:q
            purge-public = on
            connections-per-client = 9999
            """)
        #expect(problems.map { $0.prefix { $0 != " " } } == (2...7).map { "DIR/s.conf:\($0):" })
    }

    @Test func `Both listeners may leave the port to the system`() throws {
        let lines = "signing = off\nlisten = 127.0.0.1:0\nadmin-listen = 127.0.0.1:0"
        #expect(try SettingsFolder().problems(lines) == [])
    }

    @Test func `The prefixes of a server that replaces imgproxy are accepted`() throws {
        let folder = try SettingsFolder()
        try folder.writeSamples()
        let lines =
            "signing-keys-file = keys\nimgproxy-keys-file = pairs\nimgproxy-prefix = /\nnative-prefix = /k"
        #expect(try folder.problems(lines) == [])
    }
}
