public import Foundation

/// The arguments of `thumbnail-server`.
public struct ServerOptions: Equatable, Sendable {
    public static let usage =
        "usage: thumbnail-server [PORT] [--any-address] [--folder FOLDER] [--memory-cache MEBIBYTES]"

    /// Where to listen on 127.0.0.1; the system chooses if it is 0.
    public var port: UInt16 = 8080
    /// Whether images may come from addresses that are not public.
    public var anyAddress = false
    /// Contains the disk cache; the user's caches folder if nil.
    public var folder: URL?
    /// Mebibytes of encoded thumbnails that are kept in memory, at most.
    public var memoryCache = 32

    /// The defaults.
    public init() {}

    /// Nil when an argument is unknown, malformed or lacks its value.
    public init?(_ arguments: some Sequence<String>) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--any-address":
                anyAddress = true
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
