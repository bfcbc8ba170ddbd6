public import Foundation
import KingfisherTestSupport

/// Attacks a thumbnail server and measures what it takes to bear them.
///
/// Each attack has a server process of its own. Images come from loopback servers in this process.
public struct Siege: Sendable {
    /// What is attempted; the names are those of `make siege`.
    public enum Attack: String, CaseIterable, Sendable {
        case chunkFlood = "chunk-flood"
        case largeBodies = "large-bodies"
        case photos
        case deepPNG = "deep-png"
        case drippingHosts = "dripping-hosts"
        case silentHost = "silent-host"
        case leavingClients = "leaving-clients"
        case longGIF = "long-gif"
        case controlGroup = "control-group"

        /// Those that need no more than seconds with the counts of ``SiegeScale/reduced``.
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

    /// Makes an attack, which takes up to some minutes, and returns its figures; nil where this system lacks
    /// what it needs. Throws when the server does not start or this process lacks sockets.
    public func measure(_ attack: Attack) throws -> [Measurement]? {
        switch attack {
        case .chunkFlood: try chunkFlood()
        case .largeBodies: try largeBodies()
        case .photos: try photos()
        case .deepPNG: try deepPNG()
        case .drippingHosts: try drippingHosts()
        case .silentHost: try silentHost()
        case .leavingClients: try leavingClients()
        case .longGIF: try longGIF()
        case .controlGroup: try controlGroup()
        }
    }

    /// Mebibytes of encoded thumbnails that the server may keep.
    static let memoryCache = 32
    /// Mebibytes of freed pixels that the library keeps (`PixelMemory.capacity`).
    static let pixelPool = 64

    /// Runs a server while `body` attacks it, after it has made a thumbnail or two.
    func withServer<Result>(
        in group: ControlGroup? = nil, _ body: (ServerProcess) throws -> Result
    ) throws -> Result {
        let process = try ServerProcess(server, memoryCache: Self.memoryCache, controlGroup: group)
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

    /// Seconds that a request for a small image takes; half a minute when it fails.
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
