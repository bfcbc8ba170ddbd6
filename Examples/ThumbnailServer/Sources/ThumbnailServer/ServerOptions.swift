public import Foundation

/// The arguments of `thumbnail-server`.
public struct ServerOptions: Equatable, Sendable {
    public static let usage = """
        usage: thumbnail-server [PORT] [--any-address] [--folder FOLDER] [--memory-cache MEBIBYTES]
                                [--shared redis://HOST:PORT] [--metrics]
        """

    /// The port on 127.0.0.1; 0 lets the system choose.
    public var port: UInt16 = 8080
    /// Whether images may come from non-public addresses.
    public var anyAddress = false
    /// Folder of the disk cache; nil for the user's caches folder.
    public var folder: URL?
    /// The limit of encoded thumbnails in memory, in mebibytes.
    public var memoryCache = 32
    /// The URL of a Redis or Valkey engine that several servers share, as `RedisConfiguration` reads it. Its
    /// password is in a file or in the environment.
    public var shared: String?
    /// Whether `GET /metrics` returns the server's metrics, to any client.
    public var metrics = false

    /// Creates the default options.
    public init() {}

    /// Parses `arguments`; nil if one is unknown, malformed or lacks its value.
    public init?(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--any-address":
                anyAddress = true
            case "--metrics":
                metrics = true
            case "--shared":
                guard let url = arguments.next() else { return nil }
                shared = url
            case "--folder":
                guard let path = arguments.next() else { return nil }
                folder = URL(filePath: path)
            case "--memory-cache":
                guard let size = arguments.next().flatMap({ Int($0) }), (1...65_536).contains(size) else {
                    return nil
                }
                memoryCache = size
            default:
                guard let number = UInt16(argument) else { return nil }
                port = number
            }
        }
    }
}
