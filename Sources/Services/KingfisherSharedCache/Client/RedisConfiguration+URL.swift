public import Foundation

extension RedisConfiguration {
    /// Reads a URL such as `redis://user@host:6379/?password-file=/run/secrets/redis`.
    ///
    /// The scheme `rediss` means TLS. Several nodes of a cluster are separated by commas. Options:
    /// `cluster=true`; `password-file=PATH`, `password-env=NAME` (by default `KINGFISHER_REDIS_PASSWORD`);
    /// `ca=PATH`; `connect-timeout` and `response-timeout` in milliseconds; `connections`, from 1 to 64.
    ///
    /// - Parameters:
    ///   - url: The URL, without a password.
    ///   - environment: The variables in which passwords are looked up.
    public init(
        url: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(RedisConfigurationError) {
        let parts = try URLParts(url)
        var nodes: [NodeAddress] = []
        for host in parts.hosts.split(separator: ",", omittingEmptySubsequences: false) {
            let isBare = !host.contains(":") || host.hasSuffix("]")
            guard let node = NodeAddress(isBare ? "\(host):6379" : String(host)) else { throw .address }
            nodes.append(node)
        }
        self.init(nodes: nodes)
        usesTLS = parts.usesTLS
        user = parts.user
        var passwordVariable = (name: "KINGFISHER_REDIS_PASSWORD", isRequired: false)
        for (name, value) in parts.options {
            if name == "password-env" {
                passwordVariable = (value, true)
            } else {
                try set(name, to: value)
            }
        }
        if password == nil, let secret = environment[passwordVariable.name], !secret.isEmpty {
            password = RedisPassword(secret)
        }
        guard password != nil || (user == nil && !passwordVariable.isRequired) else { throw .missingPassword }
        guard isCluster || nodes.count == 1 else { throw .address }
    }

    private mutating func set(_ name: String, to value: String) throws(RedisConfigurationError) {
        switch name {
        case "cluster":
            guard let flag = Bool(value) else { throw .invalidOption(name) }
            isCluster = flag
        case "password-file":
            do {
                password = try RedisPassword(contentsOf: URL(fileURLWithPath: value))
            } catch {
                throw .unreadablePasswordFile(value)
            }
        case "ca": trustAnchors = value
        case "connect-timeout": connectTimeout = try Self.milliseconds(name, value)
        case "response-timeout": responseTimeout = try Self.milliseconds(name, value)
        case "connections":
            guard let count = Int(value), (1...64).contains(count) else { throw .invalidOption(name) }
            connectionsPerNode = count
        default: throw .unknownOption(name)
        }
    }

    private static func milliseconds(
        _ name: String, _ value: String
    ) throws(RedisConfigurationError) -> Duration {
        guard let number = Int(value), (1...60_000).contains(number) else { throw .invalidOption(name) }
        return .milliseconds(number)
    }
}

/// The parts of a URL whose authority may have several hosts, which `URL` does not read.
private struct URLParts {
    let usesTLS: Bool
    let user: String?
    let hosts: Substring
    let options: [(String, String)]

    init(_ url: String) throws(RedisConfigurationError) {
        let lowered = url.lowercased()
        guard let scheme = ["redis://", "rediss://"].first(where: { lowered.hasPrefix($0) }) else {
            throw .scheme
        }
        usesTLS = scheme == "rediss://"
        let rest = url.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        if let at = authority.lastIndex(of: "@") {
            let name = authority[..<at]
            guard !name.contains(":") else { throw .passwordInURL }
            guard let decoded = name.removingPercentEncoding else { throw .address }
            user = decoded.isEmpty ? nil : decoded
            hosts = authority[authority.index(after: at)...]
        } else {
            (user, hosts) = (nil, authority)
        }
        let tail = rest[authority.endIndex...]
        let path = tail.prefix { $0 != "?" }
        guard ["", "/", "/0"].contains(path) else { throw .database }
        options = try Self.options(tail[path.endIndex...].dropFirst())
    }

    private static func options(_ query: Substring) throws(RedisConfigurationError) -> [(String, String)] {
        var options: [(String, String)] = []
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let value = String(parts[1]).removingPercentEncoding else {
                throw .invalidOption(String(parts[0]))
            }
            options.append((String(parts[0]), value))
        }
        return options
    }
}
