public import Foundation
import Kingfisher
import KingfisherService

/// The commands of `kingfisher-server`.
public struct ServerTool: Sendable {
    /// Serves images until the program should stop.
    public typealias Serve = @Sendable (LoadedServerSettings) async throws -> Void

    private let environment: [String: String]
    private let print: @Sendable (String) -> Void
    private let printError: @Sendable (String) -> Void

    /// Creates the program.
    ///
    /// - Parameters:
    ///   - environment: The variables of the process.
    ///   - print: Writes a line to standard output.
    ///   - printError: Writes a line to standard error.
    public init(
        environment: [String: String] = ProcessInfo.processInfo.environment,
        print: @escaping @Sendable (String) -> Void, printError: @escaping @Sendable (String) -> Void
    ) {
        (self.environment, self.print, self.printError) = (environment, print, printError)
    }

    /// Runs a command and returns the exit status: 0, 1 if it failed, and 2 for a wrong usage.
    ///
    /// - Parameters:
    ///   - arguments: Without the name of the program.
    ///   - serve: What serves images, with settings that have been checked.
    public func run(_ arguments: [String], serve: Serve) async -> Int32 {
        let options = arguments.prefix { $0 != "--" }
        if options.contains("--help") || options.contains("-h") {
            print(SettingsHelp.text(width: width).trimmedEnd)
            return 0
        }
        if options.contains("--version") {
            print("kingfisher-server \(kingfisherVersion)")
            return 0
        }
        let others = SettingFlags(arguments).others
        let command = others.first ?? "serve"
        guard let expected = Self.arguments[command] else {
            return usage("There is no command \(SettingText.quoted(command)).")
        }
        guard expected.contains(max(others.count - 1, 0)) else {
            let count =
                expected == 0...0
                ? "no argument"
                : expected == 0...1
                    ? "at most one argument" : expected == 1...1 ? "one argument" : "arguments"
            return usage("The command \(command) has \(count).")
        }
        #if !SharedCache
            if command == "tier" { return usage("This program was built without the trait SharedCache.") }
        #endif
        switch command {
        case "import-imgproxy": return importImgproxy(others.dropFirst().first)
        case "print-settings": return document(others[1])
        default: return await run(command, arguments, others, serve: serve)
        }
        return 0
    }

    /// How many arguments each command has.
    private static let arguments = [
        "serve": 0...0, "check": 0...0, "sign": 1...1, "health": 0...0, "tier": 1...1_000,
        "import-imgproxy": 0...1, "print-settings": 1...1,
    ]

    private func run(_ command: String, _ arguments: [String], _ others: [String], serve: Serve) async
        -> Int32
    {
        do {
            let loaded = try ServerSettings.load(
                arguments: arguments, environment: environment, makesKey: ["serve", "sign"].contains(command))
            loaded.warnings.forEach { printError("warning: \($0)") }
            switch command {
            case "check": print("ok")
            case "health": return await HealthCheck(loaded.settings).run(printError: printError)
            #if SharedCache
                case "tier":
                    return await TierCommand(settings: loaded.settings, print: print, printError: printError)
                        .run(Array(others.dropFirst()))
            #endif
            case "sign": print(try signed(others[1], ServiceURLs(loaded.settings.urls)))
            default: try await serve(loaded)
            }
            return 0
        } catch let problems as SettingProblems {
            problems.problems.forEach { printError("\($0)") }
        } catch let error as ServiceError {
            let place = error.offset.map { " (character \($0 + 1))" } ?? ""
            printError("kingfisher-server: \(error.message)\(place)")
        } catch {
            printError("kingfisher-server: \(error)")
        }
        return 1
    }

    /// Warns if the server of these settings refuses the source; another one may not.
    private func signed(_ path: String, _ urls: ServiceURLs) throws(ServiceError) -> String {
        do {
            return try urls.signReadable(path: path, now: Int(Date().timeIntervalSince1970))
        } catch  where error.status == 403 {
            printError("warning: \(error.message)")
            return try urls.sign(path: path)
        }
    }

    private func importImgproxy(_ path: String?) -> Int32 {
        var variables = environment
        if let path {
            guard let file = try? String(contentsOfFile: path, encoding: .utf8) else {
                printError("kingfisher-server: \(SettingText.quoted(path)) cannot be read as text (UTF-8).")
                return 1
            }
            variables = ImgproxyImport.variables(in: file)
        }
        let imported = ImgproxyImport(variables)
        guard !imported.isEmpty else {
            printError("kingfisher-server: no variable \(ImgproxyImport.prefix)… has a value.")
            return 1
        }
        print(imported.text.trimmedEnd)
        return 0
    }

    private func usage(_ reason: String) -> Int32 {
        printError("kingfisher-server: \(reason)")
        printError("\(SettingsHelp.usage), or --help")
        return 2
    }

    /// What is made from the table of settings, for the files in the repository.
    private func document(_ name: String) -> Int32 {
        switch name {
        case "page": print(SettingsPage.markdown().trimmedEnd)
        case "manual": print(SettingsManual.page().trimmedEnd)
        case "example": print(SettingsPage.example().trimmedEnd)
        default: return usage("print-settings prints page, manual or example.")
        }
        return 0
    }

    private var width: Int { environment["COLUMNS"].flatMap { Int($0) }.map { max($0, 60) } ?? 100 }
}

extension String {
    /// Without line breaks at the end, for a function that adds one.
    fileprivate var trimmedEnd: String {
        var rest = self[...]
        while rest.last?.isNewline == true { rest.removeLast() }
        return String(rest)
    }
}
