import Foundation
import KingfisherTestSupport
import Testing

/// Tests of `scripts/manual` and `scripts/install` with the tool of this build.
@Suite("Manual pages and installation")
struct InstallTests {
    private let tool = Tool()

    /// The repository, four folders above this file.
    private static let root = (1...4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    private static let pages = [
        "kingfisher-cache-clean", "kingfisher-cache-clear", "kingfisher-cache-info",
        "kingfisher-cache-list", "kingfisher-cache-path",
        "kingfisher-cache-remove", "kingfisher-cache-verify", "kingfisher-cache", "kingfisher-doctor",
        "kingfisher-edit", "kingfisher-formats", "kingfisher-get", "kingfisher-info", "kingfisher-montage",
        "kingfisher-processors", "kingfisher",
    ].map { "\($0).1" }

    private func makePages() async throws {
        let result = try await tool.run(
            [try Tool.executable.path, "build/man"], program: Self.root.appending(path: "scripts/manual"))
        #expect(result.status == 0)
        #expect(result.errors.isEmpty)
    }

    /// Creates a tree to install from, because the script uses its parent folder; returns the script.
    private func makeTree() async throws -> URL {
        try await makePages()
        for path in ["scripts", "bin"] {
            try FileManager.default.createDirectory(
                atPath: tool.folder.path(path), withIntermediateDirectories: false)
        }
        let script = URL(filePath: tool.folder.path("scripts/install"))
        try FileManager.default.copyItem(at: Self.root.appending(path: "scripts/install"), to: script)
        // A small wrapper, because each installation would copy the large debug build.
        for name in ["kingfisher", "kingfisher-decoder"] {
            let wrapper = tool.folder.path("bin/\(name)")
            try Data("#!/bin/sh\nexec '\(Tool.executable.path)' \"$@\"\n".utf8).write(
                to: URL(filePath: wrapper))
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: wrapper)
        }
        return script
    }

    /// Runs the script through bash: another test may fork while the copy is open for writing, and the system
    /// does not execute such a file.
    private func install(_ arguments: String..., with script: URL) async throws -> Tool.Result {
        try await tool.run([script.path] + arguments, program: URL(filePath: "/bin/bash"))
    }

    private func touch(_ path: String) throws {
        try Data().write(to: URL(filePath: tool.folder.path(path)))
    }

    private func names(_ path: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: tool.folder.path(path)).sorted()
    }

    @Test("Every command has a page without mandoc warnings")
    func lint() async throws {
        try await makePages()
        #expect(try names("build/man") == Self.pages.sorted())
        let checked = try await tool.run(
            ["-Tlint", "-Wwarning"] + Self.pages.map { "build/man/\($0)" },
            program: URL(filePath: "/usr/bin/mandoc"))
        #expect(checked.status == 0)
        #expect(checked.lines.isEmpty)
    }

    @Test("Pages have all sections and exit statuses")
    func complete() async throws {
        try await makePages()
        for page in Self.pages {
            let shown = try await tool.run(
                ["-Tascii", "build/man/\(page)"], program: URL(filePath: "/usr/bin/mandoc"))
            // Terminals show bold and underlined text by overstriking.
            let text = String(decoding: shown.output, as: UTF8.self).replacing(/.\x{8}/, with: "")
            let sections = text.split(separator: "\n").filter { $0.first?.isUppercase == true }.map(
                String.init
            )
            .filter { !$0.hasPrefix("KINGFISHER") }
            let usesCache =
                page.contains("cache")
                || ["kingfisher.1", "kingfisher-get.1", "kingfisher-montage.1"].contains(page)
            let usesNetwork = page == "kingfisher-info.1"
            var expected = ["NAME", "SYNOPSIS", "DESCRIPTION"]
            if page == "kingfisher-processors.1" { expected.append("STEPS") }
            if usesCache || usesNetwork { expected.append("ENVIRONMENT") }
            if usesCache { expected.append("FILES") }
            expected.append("EXIT STATUS")
            let withExamples = ["", "-cache", "-edit", "-get", "-info", "-montage"].map {
                "kingfisher\($0).1"
            }
            if withExamples.contains(page) {
                expected.append("EXAMPLES")
            }
            #expect(sections.starts(with: expected + ["SEE ALSO"]), "\(page)")
            for status in ["     0       All", "     1       A source", "     2       Wrong usage"] {
                #expect(text.contains(status), "\(page)")
            }
            #expect(text.contains("XDG_CACHE_HOME") == usesCache, "\(page)")
            if usesNetwork || page == "kingfisher-get.1" { #expect(text.contains("http_proxy, https_proxy")) }
            guard page == "kingfisher.1" else { continue }
            for line in ["     get     Loads images", "     cache   Inspects, checks"] {
                #expect(text.contains(line))
            }
        }
    }

    @Test("Every example of the manual is valid usage")
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
                // Prevents requests to servers.
                if arguments[0] == "get" { arguments.append("--only-from-cache") }
                let result = try await tool.run(arguments)
                #expect(result.status != 2, "\(line): \(result.errors)")
                #expect(line.count <= 71, "wider than a terminal of 80 columns")
                count += 1
            }
        }
        #expect(count > 10)
    }

    @Test("Uninstalling removes installed files, and empty folders that were created for them")
    func uninstall() async throws {
        let script = try await makeTree()
        let copy = tool.folder
        // Existing folders, one empty and one not.
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
            // Twice: the second run must still treat the folders of the first as its own.
            for _ in 1...2 { #expect(try await install(prefix, with: script).status == 0) }
            #expect(try names("usr/bin") == ["kingfisher"])
            #expect(try names("usr/libexec") == ["kingfisher-decoder"])
            #expect(try names("usr/share/man/man1") == Self.pages.sorted())
            for path in completions {
                #expect(try !Data(contentsOf: URL(filePath: copy.path("usr/share/\(path)"))).isEmpty)
            }
            // A foreign file with a similar name.
            if keepsNeighbour { try touch("usr/share/man/man1/kingfisher-other.1") }
            #expect(try await install("--uninstall", prefix, with: script).status == 0)
            #expect(try names("usr") == ["lib", "share"])
            #expect(try names("usr/share") == (keepsNeighbour ? ["fish", "man"] : ["fish"]))
            #expect(try names("usr/share/fish") == [])
            #expect(try names("usr/lib") == ["other"])
        }
        #expect(try names("usr/share/man/man1") == ["kingfisher-other.1"])
    }

    @Test(
        "Uninstalling removes the recorded files of the prefix, or without a record those of this version")
    func records() async throws {
        let script = try await makeTree()
        let (one, two) = (tool.folder.path("one"), tool.folder.path("one/two"))
        for prefix in [one, two] { #expect(try await install(prefix, with: script).status == 0) }
        // An older version with another page would have left this record.
        let note = URL(filePath: tool.folder.path("build/installed-files"))
        let noted = try String(contentsOf: note, encoding: .utf8)
        try Data((noted + "\(one)\tshare/man/man1/kingfisher-older.1\n").utf8).write(to: note)
        for page in ["older", "other"] { try touch("one/share/man/man1/kingfisher-\(page).1") }

        #expect(try await install("--uninstall", one, with: script).status == 0)
        #expect(try names("one") == ["share", "two"])
        #expect(try names("one/share") == ["man"])
        #expect(try names("one/share/man/man1") == ["kingfisher-other.1"])
        #expect(try names("one/two/share/man/man1") == Self.pages.sorted())

        try FileManager.default.removeItem(at: note)
        try touch("one/two/share/man/man1/kingfisher-other.1")
        #expect(try await install("--uninstall", two, with: script).status == 0)
        #expect(try names("one/two") == ["share"])
        #expect(try names("one/two/share") == ["man"])
        #expect(try names("one/two/share/man/man1") == ["kingfisher-other.1"])
    }

    @Test("A missing page is reported before anything is installed")
    func incomplete() async throws {
        let script = try await makeTree()
        try FileManager.default.removeItem(atPath: tool.folder.path("build/man/kingfisher-get.1"))
        let result = try await install(tool.folder.path("usr"), with: script)
        #expect(result.status == 1)
        #expect(result.errors.contains("kingfisher-get.1"))
        #expect(try !names(".").contains("usr"))
    }

    @Test("A created prefix is removed with its last file; another prefix is unchanged")
    func prefixes() async throws {
        let script = try await makeTree()
        let (one, two) = (tool.folder.path("new/one"), tool.folder.path("new/two"))
        for prefix in [one, two] { #expect(try await install(prefix, with: script).status == 0) }
        #expect(try await install("--uninstall", one, with: script).status == 0)
        #expect(try names("new") == ["two"])
        #expect(try names("new/two") == ["bin", "libexec", "share"])
        #expect(try await install("--uninstall", two, with: script).status == 0)
        #expect(try names(".").contains("new") == false)
    }
}
