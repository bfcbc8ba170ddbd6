import Foundation

@testable import KingfisherServer

/// A temporary folder with files for settings, removed at the end.
final class SettingsFolder {
    let url = FileManager.default.temporaryDirectory.appending(path: "kingfisher-\(UUID().uuidString)")
    var path: String { url.path }

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let file = url.appending(path: name)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
        return file.path
    }

    /// The files that the tables of values name, in a folder `x` and beside it.
    func writeSamples() throws {
        try FileManager.default.createDirectory(
            at: url.appending(path: "x"), withIntermediateDirectories: true)
        try write("keys", Self.key + "\n")
        try write("short", "0123\n")
        try write("pairs", "00ff 11\n")
        try write("token", "0123456789abcdef\n")
        try write("aws", "aws_access_key_id = A\naws_secret_access_key = S\n")
        try write("logo.png", "x")
        try write("program", "", mode: 0o755)
    }

    static let key = String(repeating: "0a", count: 32)

    /// Settings of a file with these lines, besides flags and variables.
    func load(
        _ lines: String = "", arguments: [String] = [], environment: [String: String] = [:],
        makesKey: Bool = true
    ) throws -> LoadedServerSettings {
        let file = try write("s.conf", lines)
        var environment = environment
        if environment["HOME"] == nil { environment["HOME"] = path + "/home" }
        return try ServerSettings.load(
            arguments: ["--config", file] + arguments, environment: environment, makesKey: makesKey)
    }

    /// What is wrong, with the folder as `DIR`.
    func problems(
        _ lines: String = "", arguments: [String] = [], environment: [String: String] = [:]
    ) throws -> [String] {
        do {
            _ = try load(lines, arguments: arguments, environment: environment)
            return []
        } catch let problems as SettingProblems {
            return problems.problems.map { $0.description.replacing(path, with: "DIR") }
        }
    }
}
