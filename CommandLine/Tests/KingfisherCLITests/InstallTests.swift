import Foundation
import KingfisherTestSupport
import Testing

/// `scripts/manual` and `scripts/install`, with the tool that was built for these tests.
@Suite("Manual pages and installing")
struct InstallTests {
    private let tool = Tool()

    /// The repository: this file is four folders below it.
    private static let root = (1...4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    private static let pages = [
        "kingfisher-cache-clean", "kingfisher-cache-clear", "kingfisher-cache-info", "kingfisher-cache-list",
        "kingfisher-cache-path", "kingfisher-cache-remove", "kingfisher-cache-verify", "kingfisher-cache",
        "kingfisher-get", "kingfisher-info", "kingfisher-processors", "kingfisher",
    ].map { "\($0).1" }

    private func makePages() async throws {
        let result = try await tool.run(
            [try Tool.executable.path, "build/man"], program: Self.root.appending(path: "scripts/manual"))
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
    }

    /// A tree to install from, since the script works on the folder above its own; returns the script.
    private func makeTree() async throws -> URL {
        try await makePages()
        for path in ["scripts", "bin"] {
            try FileManager.default.createDirectory(
                atPath: tool.folder.path(path), withIntermediateDirectories: false)
        }
        let script = URL(filePath: tool.folder.path("scripts/install"))
        try FileManager.default.copyItem(at: Self.root.appending(path: "scripts/install"), to: script)
        // Far smaller than the tool with its debug information, which is copied at each installing.
        let stand = tool.folder.path("bin/kingfisher")
        try Data("#!/bin/sh\nexec '\(Tool.executable.path)' \"$@\"\n".utf8).write(to: URL(filePath: stand))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stand)
        return script
    }

    private func touch(_ path: String) throws {
        try Data().write(to: URL(filePath: tool.folder.path(path)))
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: tool.folder.path(path)).sorted()
    }

    @Test("There is a page for each command, and mandoc has nothing to warn of")
    func sound() async throws {
        try await makePages()
        #expect(try names("build/man") == Self.pages.sorted())
        let lint = try await tool.run(
            ["-Tlint", "-Wwarning"] + Self.pages.map { "build/man/\($0)" },
            program: URL(filePath: "/usr/bin/mandoc"))
        #expect(lint.status == 0)
        #expect(lint.lines.isEmpty)
    }

    @Test("Pages say what commands do, what they depend on and what their exit status means")
    func complete() async throws {
        try await makePages()
        for page in Self.pages {
            let shown = try await tool.run(
                ["-Tascii", "build/man/\(page)"], program: URL(filePath: "/usr/bin/mandoc"))
            // Bold and underlined letters are struck twice.
            let text = String(decoding: shown.output, as: UTF8.self).replacing(/.\x{8}/, with: "")
            let sections = text.split(separator: "\n").filter { $0.first?.isUppercase == true }.map(
                String.init
            )
            .filter { !$0.hasPrefix("KINGFISHER") }
            let usesCache = page.contains("cache") || ["kingfisher.1", "kingfisher-get.1"].contains(page)
            let usesNetwork = page == "kingfisher-info.1"
            var expected = ["NAME", "SYNOPSIS", "DESCRIPTION"]
            if page == "kingfisher-processors.1" { expected.append("STEPS") }
            if usesCache || usesNetwork { expected.append("ENVIRONMENT") }
            if usesCache { expected.append("FILES") }
            expected.append("EXIT STATUS")
            if ["kingfisher.1", "kingfisher-get.1", "kingfisher-info.1", "kingfisher-cache.1"].contains(page)
            {
                expected.append("EXAMPLES")
            }
            #expect(sections.starts(with: expected + ["SEE ALSO"]), "\(page)")
            for status in ["     0       All", "     1       A source", "     2       Wrong usage"] {
                #expect(text.contains(status), "\(page)")
            }
            #expect(text.contains("XDG_CACHE_HOME") == usesCache, "\(page)")
            if usesNetwork || page == "kingfisher-get.1" { #expect(text.contains("http_proxy, https_proxy")) }
            guard page == "kingfisher.1" else { continue }
            for line in ["     get     Loads images", "     cache   Looks at what"] {
                #expect(text.contains(line))
            }
        }
    }

    @Test("Every example of the manual is one the tool understands")
    func examples() async throws {
        try await makePages()
        var count = 0
        for page in Self.pages {
            let text = try String(
                contentsOf: URL(filePath: tool.folder.path("build/man/\(page)")), encoding: .utf8)
            for line in text.split(separator: "\n") where line.hasPrefix(".Dl kingfisher ") {
                let command = line.dropFirst(".Dl kingfisher ".count).prefix { $0 != "|" }
                var arguments = command.split(separator: " ").map(String.init)
                if let option = arguments.firstIndex(of: "--cacert") {
                    arguments[option + 1] = Fixtures.url(named: "TLS/authority.pem").path
                }
                // Nothing is there to be loaded, and nothing is asked of a server.
                if arguments[0] == "get" { arguments.append("--only-from-cache") }
                let result = try await tool.run(arguments)
                #expect(result.status != 2, "\(line): \(result.errors)")
                #expect(line.count <= 71, "wider than a terminal of 80 columns shows whole")
                count += 1
            }
        }
        #expect(count > 10)
    }

    @Test("Uninstalling removes what was installed, and of folders those that were made for it and are empty")
    func uninstall() async throws {
        let script = try await makeTree()
        let copy = tool.folder
        // There before, one empty and one not.
        for path in ["usr/share/fish", "usr/lib/other"] {
            try FileManager.default.createDirectory(
                atPath: copy.path(path), withIntermediateDirectories: true)
        }
        let prefix = copy.path("usr")
        let completions = [
            "bash-completion/completions/kingfisher", "zsh/site-functions/_kingfisher",
            "fish/vendor_completions.d/kingfisher.fish",
        ]
        for keepsNeighbour in [false, true] {
            // Twice: the second time finds the folders of the first, which are ours all the same.
            for _ in 1...2 { #expect(try await tool.run([prefix], program: script).status == 0) }
            #expect(try names("usr/bin") == ["kingfisher"])
            #expect(try names("usr/share/man/man1") == Self.pages.sorted())
            for path in completions {
                #expect(try !Data(contentsOf: URL(filePath: copy.path("usr/share/\(path)"))).isEmpty)
            }
            // A stranger's, whatever its name.
            if keepsNeighbour { try touch("usr/share/man/man1/kingfisher-other.1") }
            #expect(try await tool.run(["--uninstall", prefix], program: script).status == 0)
            #expect(try names("usr") == ["lib", "share"])
            #expect(try names("usr/share") == (keepsNeighbour ? ["fish", "man"] : ["fish"]))
            #expect(try names("usr/share/fish") == [])
            #expect(try names("usr/lib") == ["other"])
        }
        #expect(try names("usr/share/man/man1") == ["kingfisher-other.1"])
    }

    @Test(
        "What is removed is what was noted under this prefix, and without a note what this version installs")
    func notes() async throws {
        let script = try await makeTree()
        let (one, two) = (tool.folder.path("one"), tool.folder.path("one/two"))
        for prefix in [one, two] { #expect(try await tool.run([prefix], program: script).status == 0) }
        // As an older version, which had a page more, would have left it.
        let note = URL(filePath: tool.folder.path("build/installed-files"))
        let noted = try String(contentsOf: note, encoding: .utf8)
        try Data((noted + "\(one)\tshare/man/man1/kingfisher-older.1\n").utf8).write(to: note)
        for page in ["older", "other"] { try touch("one/share/man/man1/kingfisher-\(page).1") }

        #expect(try await tool.run(["--uninstall", one], program: script).status == 0)
        #expect(try names("one") == ["share", "two"])
        #expect(try names("one/share") == ["man"])
        #expect(try names("one/share/man/man1") == ["kingfisher-other.1"])
        #expect(try names("one/two/share/man/man1") == Self.pages.sorted())

        try FileManager.default.removeItem(at: note)
        try touch("one/two/share/man/man1/kingfisher-other.1")
        #expect(try await tool.run(["--uninstall", two], program: script).status == 0)
        #expect(try names("one/two") == ["share"])
        #expect(try names("one/two/share") == ["man"])
        #expect(try names("one/two/share/man/man1") == ["kingfisher-other.1"])
    }

    @Test("A page that is missing is said before anything is installed")
    func incomplete() async throws {
        let script = try await makeTree()
        try FileManager.default.removeItem(atPath: tool.folder.path("build/man/kingfisher-get.1"))
        let result = try await tool.run([tool.folder.path("usr")], program: script)
        #expect(result.status == 1)
        #expect(result.errors.contains("kingfisher-get.1"))
        #expect(try !names(".").contains("usr"))
    }

    @Test("A prefix that was made goes with the last file, and another prefix stays as it is")
    func prefixes() async throws {
        let script = try await makeTree()
        let (one, two) = (tool.folder.path("new/one"), tool.folder.path("new/two"))
        for prefix in [one, two] { #expect(try await tool.run([prefix], program: script).status == 0) }
        #expect(try await tool.run(["--uninstall", one], program: script).status == 0)
        #expect(try names("new") == ["two"])
        #expect(try names("new/two") == ["bin", "share"])
        #expect(try await tool.run(["--uninstall", two], program: script).status == 0)
        #expect(try names(".").contains("new") == false)
    }
}
