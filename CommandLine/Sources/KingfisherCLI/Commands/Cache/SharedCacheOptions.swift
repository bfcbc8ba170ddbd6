import ArgumentParser
import Foundation
import KingfisherSharedCache

/// The options of commands that may work on a cache that servers share.
struct SharedCacheOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The URL of the engine, such as redis://host:6379 or rediss://user@a,b/?cluster=true&ca=FILE. The "
                + "password is in ?password-file=FILE or in the variable KINGFISHER_REDIS_PASSWORD.",
            valueName: "url"))
    var shared: String?

    @Option(
        help: ArgumentHelp("The version that the servers' RedisTierOptions name.", valueName: "text"))
    var sharedVersion: String?

    func validate(with options: CacheOptions) throws {
        if shared == nil, sharedVersion != nil {
            throw ValidationError("--shared-version requires --shared")
        }
        if shared != nil, options.cache != nil {
            throw ValidationError("--cache and --shared are different caches; choose one")
        }
        try validateURL()
    }

    func validateURL() throws { _ = try open() }

    /// The shared cache; nil without the option. Does not connect.
    func open() throws -> SharedCache? {
        guard let shared else { return nil }
        do {
            return try SharedCache(url: shared, version: sharedVersion ?? "")
        } catch {
            throw ValidationError("--shared: \(Self.message(of: error))")
        }
    }

    private static func message(of error: any Error) -> String {
        guard let error = error as? RedisConfigurationError else {
            return "the file of ?ca cannot be used: \(error)"
        }
        return switch error {
        case .scheme: "the URL must begin with redis:// or rediss://"
        case .address: "a host or port is malformed, or several hosts lack ?cluster=true"
        case .passwordInURL:
            "a password in a URL appears in process lists; use ?password-file=FILE or the variable "
                + "KINGFISHER_REDIS_PASSWORD"
        case .database: "only database 0 is supported"
        case .unknownOption(let name): "there is no option '\(name)'"
        case .invalidOption(let name): "the value of the option '\(name)' is invalid"
        case .unreadablePasswordFile(let path): "the file '\(path)' cannot be read"
        case .missingPassword: "a user or password-env needs a password"
        }
    }
}
