public import Foundation

/// The arguments of `thumbnail-server`.
public struct ServerOptions: Equatable, Sendable {
    public static let usage = """
        usage: thumbnail-server [PORT] [--any-address] [--folder FOLDER] [--memory-cache MEBIBYTES]
                                [--shared redis://HOST:PORT] [--metrics]
                                [--connections NUMBER] [--write-seconds SECONDS]
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

    /// The maximum number of connections; further ones wait. The default is below the usual limit of 1,024
    /// file descriptors, because downloads also need some.
    public var connections = 512
    /// Seconds after which a connection is closed if its client takes no byte of a response.
    public var writeSeconds: Int64 = 20

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
            case "--connections":
                guard let number = Self.number(arguments.next()) else { return nil }
                connections = number
            case "--write-seconds":
                guard let number = Self.number(arguments.next()) else { return nil }
                writeSeconds = Int64(number)
            case "--folder":
                guard let path = arguments.next() else { return nil }
                folder = URL(filePath: path)
            case "--memory-cache":
                guard let number = Self.number(arguments.next()) else { return nil }
                memoryCache = number
            default:
                guard let number = UInt16(argument) else { return nil }
                port = number
            }
        }
    }

    private static func number(_ text: String?) -> Int? {
        text.flatMap { Int($0) }.flatMap { (1...65_536).contains($0) ? $0 : nil }
    }
}
