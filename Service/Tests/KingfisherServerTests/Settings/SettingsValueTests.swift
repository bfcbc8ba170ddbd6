import Foundation
import Kingfisher
import KingfisherService
import Testing

@testable import KingfisherServer

/// A line of a file, with other lines that it needs.
struct GoodValue: Sendable, CustomTestStringConvertible {
    let line: String
    let others: String
    let holds: @Sendable (ServerSettings) -> Bool

    init(_ line: String, _ others: String = "", _ holds: @escaping @Sendable (ServerSettings) -> Bool) {
        (self.line, self.others, self.holds) = (line, others, holds)
    }

    var testDescription: String { line }
    var name: String { line.prefix { $0 != "=" }.trimmedSpaces }
}

struct SettingsValueTests {
    @Test(arguments: goodValues)
    func `A valid value is in the settings`(_ value: GoodValue) throws {
        let folder = try SettingsFolder()
        try folder.writeSamples()
        let signing =
            value.line.hasPrefix("signing") || value.line.hasPrefix("development") ? "" : "signing = off"
        let loaded = try folder.load("\(value.line)\n\(value.others)\n\(signing)\n")
        #expect(value.holds(loaded.settings))
        #expect(loaded.warnings.isEmpty)
    }

    @Test func `Every setting has a valid value in this table`() {
        let tested = Set(goodValues.compactMap { SettingName.find($0.name)?.definition.name })
        let missing = Set(ServerSettingDefinition.all.map(\.name)).subtracting(tested).subtracting(["config"])
        #expect(missing.isEmpty)
    }

    @Test(arguments: badValues)
    func `A malformed value is refused with file, line, name and reason`(
        _ line: String, _ reason: String
    ) throws {
        let folder = try SettingsFolder()
        try folder.writeSamples()
        let name = line.prefix { $0 != "=" }.trimmedSpaces
        let signing = name.hasPrefix("signing") ? "" : "signing = off"
        let problems = try folder.problems("# comment\n\(line)\n\(signing)\n")
        #expect(problems == ["DIR/s.conf:2: \(name): \(reason)"])
    }

    @Test func `Every setting has a malformed value in this table`() {
        let tested = Set(
            badValues.compactMap {
                SettingName.find($0.0.prefix { $0 != "=" }.trimmedSpaces)?.definition.name
            })
        let missing = Set(ServerSettingDefinition.all.map(\.name)).subtracting(tested).subtracting(["config"])
        #expect(missing.isEmpty)
    }

    @Test(arguments: ServerSettingDefinition.all.filter { $0.kind == .value || $0.kind == .flag }.map(\.name))
    func `The default of the table is the default of the settings`(_ name: String) throws {
        let definition = try #require(SettingName.find(name)?.definition)
        // These say in words what the server finds out.
        let words = ["cache-folder", "decoder"]
        guard let text = definition.defaultText, !words.contains(name) else { return }
        var draft = SettingsDraft()
        try definition.read(SettingValue(text: text), &draft)
        var (dumped, expected, initial) = ("", "", SettingsDraft())
        #expect(draft.settings.allowedPorts == initial.settings.allowedPorts)
        // The order of a set in an optional differs.
        (draft.settings.allowedPorts, initial.settings.allowedPorts) = (nil, nil)
        dump(draft, to: &dumped)
        dump(initial, to: &expected)
        #expect(dumped.split(separator: "\n").sorted() == expected.split(separator: "\n").sorted())
    }
}

struct SettingsUnitTests {
    @Test(
        arguments: [
            ("0", 0), ("17", 17), ("32 MiB", 32 << 20), ("32MiB", 32 << 20), ("4 GiB", 4 << 30),
            ("1.5 kib", 1_536),
            ("2 MB", 2_000_000), ("7 B", 7), ("0.5 GB", 500_000_000),
        ])
    func `Sizes have units`(_ text: String, _ bytes: Int) {
        #expect(SettingUnit.bytes.value(of: text) == bytes)
    }

    @Test(arguments: [("10", 10), ("10 s", 10), ("2 min", 120), ("1.5 h", 5_400), ("7 d", 604_800)])
    func `Durations have units`(_ text: String, _ seconds: Int) {
        #expect(SettingUnit.seconds.value(of: text) == seconds)
    }

    @Test(
        arguments: [
            "", " ", "MiB", "1 XB", "-1", "+1", "1,5 MiB", "1.2.3", "1.", ".5", "0.3", "1e6", "٣", "0x10",
            "9999999 TiB", "9223372036854775807", "99999999999999999999", "1 MiB MiB",
        ])
    func `Malformed and too large sizes are refused`(_ text: String) {
        #expect(SettingUnit.bytes.value(of: text) == nil)
    }

    @Test(
        arguments: [
            (0, "0"), (1_536, "1536 B"), (32 << 20, "32 MiB"), (4 << 30, "4 GiB"), (2_000_000, "2 MB"),
        ])
    func `The text of a size is read as the same size`(_ bytes: Int, _ text: String) {
        #expect(SettingUnit.bytes.text(bytes) == text)
        #expect(SettingUnit.bytes.value(of: text) == bytes)
    }
}
