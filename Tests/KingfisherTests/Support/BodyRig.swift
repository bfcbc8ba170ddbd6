import Foundation
import KingfisherStorage
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// A server that supports ranges and cuts connections, and managers with disk caches in one folder.
final class BodyRig: Sendable {
    /// What the server has and how it responds.
    struct Served: Sendable {
        var body: Data
        var validator: (name: String, value: String)? = ("ETag", "\"1\"")
        var supportsRanges = true
        /// The bytes after which the next responses are reset.
        var cuts: [Int] = []
        /// Replaces the response to a request for a range.
        var rangeAnswer: (@Sendable (_ start: Int) -> ServerResponse)?
        /// The target of a redirect from a path; nil for none.
        var redirect: (@Sendable (_ path: String) -> String?)?
        var fields: [(String, String)] = []
        /// Before the head of a response with a body.
        var delay = Duration.zero
        /// Replaces the response to each request.
        var answer: (@Sendable () -> ServerResponse)?
        var bytesSent = 0
    }

    static let mebibyte = 1 << 20

    let server: LoopbackServer
    let url: URL
    let served: Locked<Served>
    let folder: TemporaryFolder
    /// An `errno` for each system call of the storage, by its name; 0 for none.
    private let faults = Locked<@Sendable (SystemCall) -> CInt>({ _ in 0 })
    private let calls = Locked<[SystemCall]>([])

    /// Serves a PNG that is padded to `count` bytes.
    init(bytes count: Int) throws {
        let served = Locked(Served(body: try Self.body(count)))
        self.served = served
        server = try LoopbackServer { request in served.withLock { $0.respond(to: request) } }
        url = server.url("/large.png")
        folder = try TemporaryFolder()
    }

    /// A PNG, then bytes that decoders ignore. Their period is a prime number, so that pieces in a wrong
    /// place differ.
    static func body(_ count: Int, seed: UInt8 = 0) throws -> Data {
        let period = Data((0..<251).map { $0 ^ seed })
        var body = try TestImages.png
        while body.count < count { body.append(period) }
        return body.prefix(count)
    }

    /// A manager with a separate downloader and cache, as in a new process.
    func makeManager(memoryBudget: Int? = nil) throws -> KingfisherManager {
        let fileSystem = FileSystem { [faults, calls] call, _ in
            calls.withLock { $0.append(call) }
            return faults.withLock { $0 }(call)
        }
        let config = DiskStorage.Config(name: "bodies", sizeLimit: 0, directory: folder.url)
        let disk = try DiskStorage.Backend<Data>(config: config, fileSystem: fileSystem, clock: WallClock())
        disk.config.filtersNames = false
        let memory = MemoryStorage.Backend<Image>(config: MemoryStorage.Config(totalCostLimit: 1 << 26))
        let cache = ImageCache(memoryStorage: memory, diskStorage: disk)
        let manager = KingfisherManager(downloader: ImageDownloader(name: "bodies"), cache: cache)
        manager.memoryBudget = memoryBudget
        return manager
    }

    func serve(_ change: (inout Served) -> Void) { served.withLock { change(&$0) } }

    /// Starts a load whose body stops after `count` bytes, and returns its task once these have arrived.
    func loadPart(
        _ count: Int, _ manager: KingfisherManager, fields: [(String, String)] = [],
        completion: @escaping @Sendable (Result<RetrieveImageResult, KingfisherError>) -> Void = { _ in }
    ) async throws -> DownloadTask {
        let gate = ServerGate()
        let body = served.withLock(\.body)
        let head = ServerResponse.head(200, headers: fields + [("Content-Length", "\(body.count)")])
        serve { $0.answer = { ServerResponse([.send(head), .send(body.prefix(count)), .hold(gate)]) } }
        let task = try #require(manager.retrieveImage(with: url, completionHandler: completion))
        #expect(await poll { task.sessionTask?.task.countOfBytesReceived ?? 0 >= count })
        serve { $0.answer = nil }
        return task
    }

    func fail(_ fault: @escaping @Sendable (SystemCall) -> CInt) { faults.withLock { $0 = fault } }

    func takeCalls() -> [SystemCall] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }

    /// A part of a result, without the bytes, so that these are released when the request ends.
    struct Loaded: Sendable {
        let image: Image
        let cacheType: CacheType
        let metrics: NetworkMetrics?

        init(_ result: RetrieveImageResult) {
            (image, cacheType, metrics) = (result.image, result.cacheType, result.metrics)
        }
    }

    func load(
        _ manager: KingfisherManager, _ options: KingfisherOptionsInfo = [],
        progress: SendableProgressBlock? = nil
    ) async throws -> Result<Loaded, KingfisherError> {
        let url = url
        // Stores the bytes unchanged.
        var serializer = DefaultCacheSerializer()
        serializer.preferCacheOriginalData = true
        let all: KingfisherOptionsInfo = [.waitForCache, .cacheSerializer(serializer)] + options
        return try await outcome { (done: @escaping @Sendable (Result<Loaded, KingfisherError>) -> Void) in
            manager.retrieveImage(with: url, options: all, progressBlock: progress) {
                done($0.map(Loaded.init))
            }
        }
    }

    func cached(_ manager: KingfisherManager) throws -> Data? {
        try manager.cache.diskStorage.value(forKey: url.cacheKey)
    }

    /// The files of interrupted downloads.
    var partials: [String] { staged.filter { $0.hasPrefix("partial-") } }

    var staged: [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder.url.path)) ?? []
        return names.filter { $0.contains(".staging/") }.map { ($0 as NSString).lastPathComponent }
    }

    /// The open files in the folder of the cache and beside it, those without a name included.
    var openFiles: Int {
        let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return links.count { link in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + link)
            return target?.contains(folder.url.lastPathComponent) == true && target?.contains("/#") == true
        }
    }

    /// Whether nothing stays beside the cache once the bytes are released.
    func isClean() async -> Bool { await poll { staged.isEmpty } }

    /// The ranges that were requested.
    var ranges: [String?] { server.requests.map { $0.header("Range") } }
}

extension BodyRig.Served {
    fileprivate mutating func respond(to request: ServerRequest) -> ServerResponse {
        if let answer { return answer() }
        if let target = redirect?(request.path) { return .redirect(to: target) }
        var start = 0
        var fields = fields
        if let validator { fields.append((validator.name, validator.value)) }
        if supportsRanges, let range = request.header("Range"), request.header("If-Range") == validator?.value
        {
            start = Int(range.dropFirst("bytes=".count).dropLast()) ?? 0
            if let rangeAnswer { return rangeAnswer(start) }
            fields.append(("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)"))
        }
        let rest = body.dropFirst(start)
        let sent = cuts.isEmpty ? rest : rest.prefix(cuts.removeFirst())
        bytesSent += sent.count
        fields.append(("Content-Length", "\(rest.count)"))
        fields.append(("Date", "Wed, 25 Nov 2026 12:00:00 GMT"))
        let head = ServerResponse.head(start > 0 ? 206 : 200, headers: fields)
        let response = ServerResponse([.pause(delay), .send(head), .send(Data(sent))])
        return sent.count < rest.count ? response.then(.close) : response
    }
}
