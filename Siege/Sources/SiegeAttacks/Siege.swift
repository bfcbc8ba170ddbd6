public import Foundation
import KingfisherTestSupport

/// Attacks `kingfisher-server` and measures its resources.
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
        case malformedRequests = "malformed-requests"
        case allowedSources = "allowed-sources"
        case acceptValues = "accept-values"
        case purges
        case drippingUploads = "dripping-uploads"
        case silentOrigins = "silent-origins"
        case clientAddresses = "client-addresses"
        case controlGroup = "control-group"
        case soak

        /// What `make siege` runs; `make soak` runs the other one.
        public static let all = allCases.filter { $0 != .soak }

        /// The attacks that take only seconds with the counts of ``SiegeScale/reduced``.
        public static let quick = all.filter { ![.photos, .controlGroup].contains($0) }
    }

    enum Failure: Error { case attackNotBegun }

    let server: URL
    let scale: SiegeScale
    private let memory = Peak()

    /// - Parameter server: The executable `kingfisher-server`, with `kingfisher-decoder` beside it.
    public init(server: URL, scale: SiegeScale) {
        self.server = server
        self.scale = scale
    }

    /// Runs an attack, which takes up to some minutes, and returns its measurements; nil if this system does
    /// not support it. Throws if the server does not start or if this process has too few sockets.
    public func measure(_ attack: Attack) throws -> [Measurement]? {
        Self.raiseSocketLimit()
        _ = memory.reset()
        guard let measurements = try perform(attack) else { return nil }
        let limit = Double(Self.memoryBudget + Self.memoryCache + Self.otherMemory)
        return measurements + [Measurement("\(attack.rawValue)-memory-MiB", memory.reset(), limit: limit)]
    }

    private func perform(_ attack: Attack) throws -> [Measurement]? {
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
        case .malformedRequests: try malformedRequests()
        case .allowedSources: try allowedSources()
        case .acceptValues: try acceptValues()
        case .purges: try purges()
        case .drippingUploads: try drippingUploads()
        case .silentOrigins: try silentOrigins()
        case .clientAddresses: try clientAddresses()
        case .controlGroup: try controlGroup()
        case .soak: try soak()
        }
    }

    /// Mebibytes for bodies and decoding.
    static let memoryBudget = 256
    /// Mebibytes of encoded results that the server may cache.
    static let memoryCache = 32
    /// Mebibytes of programs, connections and pools: what server and decoders may use in addition.
    static let otherMemory = 350
    /// Mebibytes of freed pixel memory that the library retains (`PixelMemory.capacity`).
    static let pixelPool = 64

    /// Starts a server, requests two images, then runs `body`.
    func withServer<Result>(
        _ arguments: [String] = [], in group: ControlGroup? = nil, innocents: Bool = true,
        memoryCache: Int = memoryCache, _ body: (ServerProcess) throws -> Result
    ) throws -> Result {
        let options = [
            "--memory-budget", "\(Self.memoryBudget) MiB", "--memory-size", "\(memoryCache) MiB",
        ]
        let process = try ServerProcess(server, options + arguments, controlGroup: group)
        let sampler = MemorySampler(process)
        defer {
            memory.add(sampler.stop())
            process.stop()
        }
        guard innocents else { return try body(process) }
        let origin = try Self.smallImages()
        defer { origin.stop() }
        for number in 0..<2 { _ = Self.innocent(process, origin, number) }
        return try body(process)
    }

    /// Allows this process and its servers as many sockets as the system does.
    private static func raiseSocketLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
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

    /// The path of a result; `source` has no query.
    static func target(_ source: URL, side: Int = 300) -> String {
        "/unsafe/fit:\(side)x\(side)/plain/\(source.absoluteString)"
    }

    /// Seconds until the server answers a request for a result that it has; 30 if it does not.
    static func hit(_ server: ServerProcess, _ target: String, host: UInt8? = nil) -> Double {
        guard let client = try? AttackClient(port: server.port, host: host) else { return 30 }
        client.send(target)
        let reply = client.reply(within: .seconds(30))
        return reply?.status == 200 ? reply?.seconds ?? 30 : 30
    }

    /// The number that ends a path.
    static func number(_ path: String) -> Int { Int(path.split(separator: "/").last ?? "") ?? 0 }
}
