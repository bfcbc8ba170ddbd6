/// Where a value was found.
enum SettingOrigin: Hashable, Sendable {
    case flag
    case environment(variable: String)
    /// A credential of systemd.
    case credential
    case file(path: String, line: Int)
    /// Nowhere: the setting has its default.
    case none
}

/// Why a server does not start, or what it warns of. Does not contain secrets.
public struct SettingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    let origin: SettingOrigin
    /// The name of the setting; empty if there is none.
    public let name: String
    /// Sentences.
    public let reason: String

    init(_ origin: SettingOrigin, _ name: String, _ reason: String) {
        (self.origin, self.name, self.reason) = (origin, name, reason)
    }

    /// `FILE:LINE: NAME: REASON`, `environment: VARIABLE: REASON`, `--NAME: REASON`,
    /// `credentials: NAME: REASON`, or `NAME: REASON`.
    public var description: String {
        let place =
            switch origin {
            case .flag: ["--" + name]
            case .environment(let variable): ["environment", variable]
            case .credential: ["credentials", name]
            case .file(let path, let line): ["\(path):\(line)", name]
            case .none: [name]
            }
        return (place + [reason]).filter { !$0.isEmpty }.joined(separator: ": ")
    }

    /// Flags first, then the environment, files by line, and the rest.
    var rank: (Int, Int) {
        switch origin {
        case .flag: (0, 0)
        case .environment: (1, 0)
        case .credential: (2, 0)
        case .file(_, let line): (3, line)
        case .none: (4, 0)
        }
    }
}

/// All reasons why a server does not start.
public struct SettingProblems: Error, Sendable, CustomStringConvertible {
    /// At least one.
    public let problems: [SettingProblem]

    init(_ problems: [SettingProblem]) {
        let sorted = problems.enumerated().sorted {
            ($0.element.rank.0, $0.element.rank.1, $0.offset)
                < ($1.element.rank.0, $1.element.rank.1, $1.offset)
        }
        self.problems = sorted.map(\.element)
    }

    /// A line for each.
    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
