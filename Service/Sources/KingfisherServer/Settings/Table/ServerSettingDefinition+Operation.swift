import Foundation
import Glibc
import Kingfisher
import KingfisherIsolation
import KingfisherService
import KingfisherSharedCache

/// How the server works.
extension ServerSettingDefinition {
    static let caches = [
        Self(
            "cache-folder", default: "$CACHE_DIRECTORY, or kingfisher-server in the user's caches",
            "a folder",
            "The folder of the caches on disk; made if it is missing."
        ) { value, draft throws(SettingReason) in draft.settings.caches.folder = try value.cacheFolder() },
        number(
            "results-size", .bytes, in: 0...1 << 50, "The results on disk.", \.settings.caches.resultBytes),
        number(
            "originals-size", .bytes, in: 0...1 << 50, "The originals on disk.",
            \.settings.caches.originalBytes),
        number(
            "memory-size", .bytes, in: 0...1 << 40, "The results in memory.", \.settings.caches.memoryBytes),
        Self(
            "shared", default: nil, "redis://HOST:PORT, rediss://HOST:PORT",
            "A Redis or Valkey engine for the results of several servers. Its password is in a file or variable."
        ) { value, draft throws(SettingReason) in draft.settings.caches.shared = try value.sharedCache() },
        flag(
            "cache-uploads", "Whether results of POST are stored.", \.settings.storesUploads),
    ]

    static let lifetimes = [
        Self(
            "ttl", default: "1 d", "0…365 d, source",
            "How long clients may use a result; source for as long as the source."
        ) {
            value, draft throws(SettingReason) in
            draft.settings.responses.lifetime =
                value.text == "source" ? .source : .seconds(try value.number(.seconds, in: year))
        },
        lifetime(
            "source-minimum-ttl", "How long an original is used before its source is asked again.",
            \.settings.caches.sourceMinimumLifetime),
        lifetime(
            "source-default-ttl", "The same, if the source says no time.",
            \.settings.caches.sourceDefaultLifetime),
        lifetime(
            "stale-while-revalidate", "How long clients may use a stale result while they ask for it.",
            \.settings.responses.staleWhileRevalidate),
        lifetime(
            "stale-if-error", "How long clients may use a stale result if they get an error.",
            \.settings.responses.staleIfError),
        lifetime(
            "fallback-ttl", "How long clients may use a fallback image.",
            \.settings.responses.fallbackLifetime),
    ]

    static let load = [
        number(
            "memory-budget", .bytes, default: "1/8 of the memory, at most 256 MiB", in: 16 << 20...1 << 40,
            "The memory for bodies and decoding.", \.settings.load.memoryBudget),
        number(
            "queue", default: "4 x cores + 64", in: 0...100_000, "How many requests wait for memory.",
            \.settings.load.queueLength),
        number(
            "connections", in: 1...1_000_000, "How many connections are open; further ones wait.",
            \.settings.load.connections),
        number(
            "connections-per-client", default: "a quarter of connections", in: 1...1_000_000,
            "How many of these a client may have.", \.settings.load.connectionsPerClient),
        Self(
            "rate", default: "off", "0.01…1000000, off",
            "Requests a second that a client may make besides hits of the caches."
        ) { value, draft throws(SettingReason) in
            draft.settings.load.rate = value.text == "off" ? nil : try value.decimal(in: 0.01...1_000_000)
        },
        number("burst", in: 1...1_000_000, "How many of these at once.", \.settings.load.burst),
        networks(
            "trusted-proxies", "Proxies whose X-Forwarded-For names the client.",
            \.settings.load.trustedProxies),
    ]

    static let timeouts = [
        timeout("download-timeout", "Of a source.", \.settings.timeouts.download),
        timeout("request-timeout", "From the end of a request to its response.", \.settings.timeouts.request),
        timeout("read-timeout", "Of the head of a request, and of its body.", \.settings.timeouts.read),
        timeout("write-timeout", "Of a client that takes no byte of a response.", \.settings.timeouts.write),
        timeout("idle-timeout", "Of a connection without a request.", \.settings.timeouts.idle),
        timeout(
            "drain-timeout", "Of responses in progress when the server stops.", \.settings.timeouts.drain),
    ]

    static let operation = [
        choice(
            "isolation", [("all", .all), ("untrusted", .untrustedFormats), ("none", .none)],
            "Which formats are decoded in locked-down processes; untrusted is HEIC, RAW, SVG and TIFF.",
            \.settings.isolation),
        Self("decoder", default: "beside the program", "a program", "The path of kingfisher-decoder.") {
            value, draft throws(SettingReason) in draft.settings.decoder = try value.program()
        },
        secret("purge-token-file", "one line of 16 characters or more", "The token of purges.") {
            value, draft throws(SettingReason) in
            draft.settings.purgeToken = try value.secretLine(atLeast: 16, &draft.warnings)
        },
        flag(
            "purge-public", "Whether purges are also accepted where clients connect.",
            \.settings.purgesPublicly),
        origin("cors", "The value of Access-Control-Allow-Origin.", \.settings.responses.allowedOrigin),
        origin(
            "timing-allow-origin", "The value of Timing-Allow-Origin.",
            \.settings.responses.timingAllowedOrigin),
        choice(
            "log-level",
            ["trace", "debug", "info", "notice", "warning", "error", "critical"].map { ($0, $0) },
            "The least severe messages of the log.", \.settings.logLevel),
        choice(
            "log-format", [("text", false), ("json", true)], "The lines of the log.", \.settings.logsJSON),
    ]
}

extension SettingValue {
    /// A folder that exists, or can be made.
    fileprivate func cacheFolder() throws(SettingReason) -> URL {
        let url = URL(filePath: text, directoryHint: .isDirectory, relativeTo: folder).standardizedFileURL
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) {
            guard isFolder.boolValue, access(url.path, W_OK | X_OK) == 0 else {
                throw SettingReason("\(SettingText.path(url)) is not a folder that can be written.")
            }
        }
        return url
    }

    /// Messages do not have the URL, which may contain a password.
    fileprivate func sharedCache() throws(SettingReason) -> String {
        #if SharedCache
            do throws(RedisConfigurationError) {
                _ = try RedisConfiguration(url: text, environment: environment)
            } catch {
                throw SettingReason(error.reason)
            }
            return text
        #else
            throw SettingReason("This program was built without the trait SharedCache.")
        #endif
    }
}

extension RedisConfigurationError {
    private static let options = [
        "cluster", "password-file", "password-env", "ca", "connect-timeout", "response-timeout",
        "connections",
    ]

    fileprivate var reason: String {
        switch self {
        case .scheme: "The URL starts with redis:// or rediss://."
        case .address: "A host or port is malformed, or there are several without cluster=true."
        case .passwordInURL: "The URL has a password; use password-file or KINGFISHER_REDIS_PASSWORD."
        case .database: "Only database 0 is supported."
        // A name that is not known might be a part of a password.
        case .unknownOption: "An option is unknown. There are \(Self.options.joined(separator: ", "))."
        case .invalidOption(let name):
            "The value of \(Self.options.contains(name) ? name : "an option") is malformed."
        case .unreadablePasswordFile: "The password file cannot be read."
        case .missingPassword: "There is a user or a variable of a password, but no password."
        }
    }
}
