public import Foundation
import KingfisherService

/// The settings of a server, as flags, environment and file have them.
public struct LoadedServerSettings: Sendable {
    /// The settings, checked.
    public var settings: ServerSettings
    /// What the server should log, such as a file with keys that every user may read.
    public var warnings: [SettingProblem]
    /// The arguments that are no flags.
    public var arguments: [String]
}

extension ServerSettings {
    /// Reads settings from flags, then the environment, the credentials of systemd and the file of `config`;
    /// the first one that has a setting decides.
    ///
    /// Reads files on the caller's thread. Throws all problems, not only the first one. In development, the
    /// signing key is read from the cache folder, and made there if it is missing.
    ///
    /// - Parameters:
    ///   - arguments: Without the name of the program.
    ///   - environment: The variables of the process.
    ///   - makesKey: Whether a missing key of a development server is stored.
    public static func load(
        arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
        makesKey: Bool = true
    ) throws(SettingProblems) -> LoadedServerSettings {
        let flags = SettingFlags(arguments)
        var reader = SettingReader(flags: flags.settings, environment: environment)
        let settings = try reader.settings(makesKey: makesKey)
        return LoadedServerSettings(settings: settings, warnings: reader.warnings, arguments: flags.others)
    }
}

/// Merges the origins of settings and parses the values.
struct SettingReader {
    private(set) var warnings: [SettingProblem] = []
    private var problems: [SettingProblem] = []
    private var entries: [String: SettingEntry] = [:]
    private let environment: [String: String]

    init(flags: SettingEntries, environment: [String: String]) {
        self.environment = environment
        let isConfiguration: (SettingEntry) -> Bool = { $0.definition.kind == .configuration }
        let early = SettingVariables.entries(environment, names: []).entries.first(where: isConfiguration)
        let file = (flags.entries.first(where: isConfiguration) ?? early).map { SettingFile($0).settings }
        let names = (flags.entries + (file?.entries ?? [])).map(\.name)
        let origins = [
            file ?? SettingEntries(), SettingVariables.credentials(environment),
            SettingVariables.entries(environment, names: names), flags,
        ]
        for origin in origins {
            problems += origin.problems
            for entry in origin.entries { entries[entry.name] = entry }
        }
    }

    mutating func settings(makesKey: Bool) throws(SettingProblems) -> ServerSettings {
        var draft = SettingsDraft()
        if let folder = DefaultFolder.caches(environment) { draft.settings.caches.folder = folder }
        for definition in ServerSettingDefinition.all {
            let own = entries.values.filter { $0.definition.name == definition.name }
            for entry in own.sorted(by: { $0.name < $1.name }) { parse(entry, &draft) }
        }
        var combination = SettingCombination(
            draft, environment, names: Set(entries.keys), failed: Set(problems.map(\.name)))
        combination.check()
        for error in combination.errors { report(error) }
        guard problems.isEmpty else { throw SettingProblems(problems) }
        do throws(ServiceSettingsError) {
            if combination.needsDevelopmentKey { try combination.addDevelopmentKey(stores: makesKey) }
        } catch {
            report(error)
            throw SettingProblems(problems)
        }
        return combination.settings
    }

    private mutating func parse(_ entry: SettingEntry, _ draft: inout SettingsDraft) {
        do throws(SettingReason) {
            try entry.definition.read(entry.value(environment: environment), &draft)
        } catch {
            problems.append(entry.problem(error.text))
        }
        warnings += draft.warnings.map { entry.problem($0) }
        draft.warnings = []
    }

    private mutating func report(_ error: ServiceSettingsError) {
        let origin = entries[error.name]?.origin ?? .none
        problems.append(SettingProblem(origin, error.name, error.reason))
    }
}

/// Folders of systemd and of users.
enum DefaultFolder {
    /// The folder of the caches: the first one of `CacheDirectory=` (systemd.exec), otherwise
    /// `kingfisher-server` in the user's caches; nil without a home folder.
    static func caches(_ environment: [String: String]) -> URL? {
        if let first = environment["CACHE_DIRECTORY"]?.split(separator: ":").first, first.hasPrefix("/") {
            return URL(filePath: String(first), directoryHint: .isDirectory)
        }
        let absolute: (String) -> String? = { name in
            environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let folder = absolute("XDG_CACHE_HOME") ?? absolute("HOME").map { $0 + "/.cache" }
        return folder.map { URL(filePath: $0 + "/kingfisher-server", directoryHint: .isDirectory) }
    }
}
