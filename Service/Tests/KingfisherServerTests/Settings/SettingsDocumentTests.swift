import Foundation
import Kingfisher
import Testing

@testable import KingfisherServer

struct SettingsDocumentTests {
    private static let documents = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../docs").standardizedFileURL

    /// Write them with `kingfisher-server print-settings page`, `manual` and `example`.
    @Test(
        arguments: [
            ("settings.md", SettingsPage.markdown()), ("kingfisher-server.1", SettingsManual.page()),
            ("kingfisher-server.conf", SettingsPage.example()),
        ])
    func `A file in the repository equals the table`(_ name: String, _ text: String) throws {
        let stored = try String(contentsOf: Self.documents.appending(path: name), encoding: .utf8)
        #expect(stored == text)
    }

    @Test func `Every setting is in the help, the page, the manual and the example`() {
        let (help, page) = (SettingsHelp.text(), SettingsPage.markdown())
        let (manual, example) = (SettingsManual.page(), SettingsPage.example())
        for setting in ServerSettingDefinition.all {
            #expect(help.contains("\n  --\(setting.name)"))
            #expect(page.contains("\n| `\(setting.name)` |"))
            #expect(manual.contains("\n.It Fl -\(Roff.escaped(setting.name))\n"))
            if setting.kind != .configuration { #expect(example.contains("\n#\(setting.name) = ")) }
        }
    }

    @Test(arguments: [60, 80, 100, 140])
    func `The help fits its width`(_ width: Int) {
        let long = SettingsHelp.text(width: width).split(separator: "\n").map(String.init).filter {
            $0.count > width
        }
        // A word may be longer than a column.
        #expect(long.allSatisfy { $0.split(separator: " ").count <= 2 })
    }

    @Test func `Every default of the example is accepted`() throws {
        let folder = try SettingsFolder()
        let problems = try folder.problems(
            SettingsPage.example().split(separator: "\n").map { line in
                line.hasPrefix("#") && !line.hasPrefix("# ") && !line.hasPrefix("##")
                    ? String(line.dropFirst()) : ""
            }.joined(separator: "\n"))
        // Its files do not exist here.
        let others = problems.filter {
            !$0.contains("no such file") && !$0.contains("that can be read")
                && !$0.contains("is not a program")
                && !$0.contains("quality.FORMAT") && !$0.contains("need")
                && !$0.contains("without s3-buckets")
        }
        #expect(others == [])
    }

    @Test func `Every text is one sentence or more, without a line break`() {
        for setting in ServerSettingDefinition.all {
            #expect(setting.summary.hasSuffix("."), "\(setting.name)")
            #expect(!setting.summary.contains("\n") && !setting.range.hasSuffix("."), "\(setting.name)")
        }
    }

    @Test func `The manual has the version and no line that roff misreads`() {
        let page = SettingsManual.page()
        #expect(page.contains("\n.Os kingfisher \(kingfisherVersion)\n"))
        #expect(
            !page.split(separator: "\n").contains {
                $0.hasPrefix("'") || $0.hasPrefix(" ") && !$0.hasPrefix("    /")
            })
        #expect(page.utf8.allSatisfy { $0 < 0x80 })
    }

    @Test func `mandoc has no warning about the manual`() throws {
        let mandoc = Process()
        mandoc.executableURL = URL(filePath: "/usr/bin/mandoc")
        mandoc.arguments = [
            "-Tlint", "-Wwarning", Self.documents.appending(path: "kingfisher-server.1").path,
        ]
        let output = Pipe()
        mandoc.standardOutput = output
        try mandoc.run()
        let warnings = try output.fileHandleForReading.readToEnd() ?? Data()
        mandoc.waitUntilExit()
        #expect(String(decoding: warnings, as: UTF8.self).isEmpty && mandoc.terminationStatus == 0)
    }
}
