public import Foundation
import KingfisherTestSupport

/// Attacks a thumbnail server and measures its resources.
///
/// Each attack has a separate server process. Images come from loopback servers in this process.
public struct Siege: Sendable {
    /// The attacks; their names are arguments of `make siege`.
    public enum Attack: String, CaseIterable, Sendable {
        case chunkFlood = "chunk-flood"
        case largeBodies = "large-bodies"
        case photos
        case deepPNG = "deep-png"
        case drippingHosts = "dripping-hosts"
        case silentHost = "silent-host"
        case stalledReaders = "stalled-readers"
        case leavingClients = "leaving-clients"
        case longGIF = "long-gif"
        case controlGroup = "control-group"

        /// The attacks that take only seconds with the counts of ``SiegeScale/reduced``.
        public static let quick = allCases.filter { ![.photos, .controlGroup].contains($0) }
    }

    enum Failure: Error { case attackNotBegun }

    let server: URL
    let scale: SiegeScale

    /// - Parameter server: The executable `thumbnail-server`.
    public init(server: URL, scale: SiegeScale) {
        self.server = server
        self.scale = scale
    }

    /// Runs an attack, which takes up to some minutes, and returns its measurements; nil if this system does
    /// not support it. Throws if the server does not start or if this process has too few sockets.
    public func measure(_ attack: Attack) throws -> [Measurement]? {
        switch attack {
        case .chunkFlood: try chunkFlood()
        case .largeBodies: try largeBodies()
        case .photos: try photos()
        case .deepPNG: try deepPNG()
        case .drippingHosts: try drippingHosts()
        case .silentHost: try silentHost()
        case .stalledReaders: try stalledReaders()
        case .leavingClients: try leavingClients()
        case .longGIF: try longGIF()
        case .controlGroup: try controlGroup()
        }
    }

    /// Mebibytes of encoded thumbnails that the server may cache.
    static let memoryCache = 32
    /// Mebibytes of freed pixel memory that the library retains (`PixelMemory.capacity`).
    static let pixelPool = 64

    /// Starts a server, requests one or two thumbnails, then runs `body`.
    func withServer<Result>(
        _ arguments: [String] = [], in group: ControlGroup? = nil, _ body: (ServerProcess) throws -> Result
    ) throws -> Result {
        let options = ["--memory-cache", "\(Self.memoryCache)"] + arguments
        let process = try ServerProcess(server, options, controlGroup: group)
        defer { process.stop() }
        let origin = try Self.smallImages()
        defer { origin.stop() }
        for number in 0..<2 { _ = Self.innocent(process, origin, number) }
        return try body(process)
    }

    /// A server of small images, for requests that are not part of an attack.
    static func smallImages() throws -> AttackOrigin {
        let image = try Fixtures.data(named: "Photos/astronaut-portrait.jpg")
        return try AttackOrigin { _ in .body([image]) }
    }

    /// The duration of a request for a small image in seconds; 30 if it fails.
    static func innocent(_ server: ServerProcess, _ origin: AttackOrigin, _ number: Int) -> Double {
        let target = target(origin.url("/innocent/\(number)"))
        let outcome = Crowd.ask(server.port, for: target, until: .now + .seconds(30))
        return outcome.isThumbnail ? outcome.seconds : 30
    }

    /// The request for a thumbnail; `source` has no query.
    static func target(_ source: URL, side: Int = 300) -> String {
        "/thumbnail?url=\(source.absoluteString)&width=\(side)&height=\(side)"
    }

    /// The number that ends a path.
    static func number(_ path: String) -> Int { Int(path.split(separator: "/").last ?? "") ?? 0 }
}
