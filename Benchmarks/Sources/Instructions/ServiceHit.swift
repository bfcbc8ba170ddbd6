import Foundation
import Kingfisher
import KingfisherFormats
import KingfisherService
import KingfisherSharedCache
import KingfisherTestSupport
import Synchronization

/// Runs the jobs of tasks on the calling thread, because callgrind counts one thread.
private final class CallingThread: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Throws if the work waits for another thread.
    func run(_ work: @escaping @Sendable () async throws -> Void) throws {
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        Task(executorPreference: self) {
            let result: Result<Void, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.withLock { $0 = result }
        }
        while true {
            if let result = outcome.withLock({ $0 }) { return try result.get() }
            let next = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            guard let next else { throw Failure(description: "the work continues on another thread") }
            next.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}

/// Waits for work of other threads, which is not counted. A semaphore, because the jobs are not asynchronous:
/// callgrind counts between entry and exit of one function.
private func waiting(_ work: @escaping @Sendable () async throws -> Void) throws {
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    let end = DispatchSemaphore(value: 0)
    Task {
        let result: Result<Void, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        outcome.withLock { $0 = result }
        end.signal()
    }
    end.wait()
    try outcome.withLock { $0 }?.get()
}

/// What `kingfisher-server` does for a request whose result is in memory, without HTTP: URL with signature,
/// negotiation, cache and header fields.
private struct ServiceHit: Sendable {
    private let urls: ServiceURLs
    private let path: String
    private let negotiation: FormatNegotiation
    private let rules: ServiceResponseRules
    private let manager: KingfisherManager

    init(source: URL) throws {
        ImageCodecs.registerAll()
        guard let key = SigningKey(Array(repeating: 7, count: 32)) else {
            throw Failure(description: "no key")
        }
        urls = try ServiceURLs(ServiceSettings(signing: .keys([key])))
        path = try urls.sign(path: "/fit:300x300/plain/\(source)")
        negotiation = FormatNegotiation(registered: [ImageFormat(name: "WEBP")])
        rules = ServiceResponseRules(ServiceResponseSettings(negotiation: negotiation))
        let cache = try ImageCache(
            name: "service-hit", cacheDirectoryURL: FileManager.default.temporaryDirectory)
        cache.encodedStorage.config.totalCostLimit = 8 << 20
        manager = KingfisherManager.forServers(cache: cache)
        manager.downloader.addressPolicy = .any
    }

    private func load() throws -> (ServiceLoad, ServiceResponseContext) {
        var context = ServiceResponseContext(now: 1_800_000_000)
        context.accept = AcceptHeader(["image/avif,image/webp,image/*,*/*;q=0.8"])
        context.path = path
        let request = try urls.request(path: path, now: context.now)
        context.request = request
        return (try ServiceLoad(request, accept: context.accept, negotiation), context)
    }

    func make() async throws {
        let (load, _) = try load()
        _ = try await manager.retrieveData(with: load.source, options: load.options)
    }

    func respond() async throws {
        let (load, context) = try load()
        let result = await manager.cachedData(with: load.source, options: load.options)
        guard let result, result.cacheType == .memory else { throw Failure(description: "not in memory") }
        let file = CachedFileResponse(
            byteCount: result.data.count, entityTag: result.entityTag, mediaType: result.mediaType,
            method: "GET"
        ) { _ in nil }
        guard rules.response(file, ServiceResult(of: result), context).status == 200 else {
            throw Failure(description: "no result")
        }
    }
}

/// 100 hits of a service.
func serviceHits() throws -> () throws -> Void {
    let photo = try Fixtures.data(named: "Photos/astronaut-portrait.jpg")
    let origin = try AttackOrigin { _ in .body([photo]) }
    defer { origin.stop() }
    let hit = try ServiceHit(source: origin.url("/photo.jpg"))
    try waiting { try await hit.make() }
    let thread = CallingThread()
    return { try thread.run { for _ in 0..<100 { try await hit.respond() } } }
}

/// Answers GET with what was stored by SET, as Redis does.
private final class StoredValues: RedisClient {
    private let values = Mutex<[String: Data]>([:])

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        guard let key = command.key else { return .null }
        switch command.name {
        case "SET":
            for case .data(let value) in command.arguments { values.withLock { $0[key] = value } }
            return .text("OK")
        default: return values.withLock { $0[key] }.map { .bytes($0) } ?? .null
        }
    }
}

/// 100 reads of an entry of 20 KB in the shared cache, with its check, without the client.
func redisHits() throws -> () throws -> Void {
    let tier = RedisTier(client: StoredValues())
    let key = TierKey(cacheKey: "https://images.example.org/albums/1", processorIdentifier: "fit:300x300")
    try waiting {
        let entry = TierEntry(
            data: Data(repeating: 7, count: 20_000), mediaType: "image/webp", created: .now,
            expiration: .now + 86_400)
        try await tier.write(entry, for: key, lease: nil)
    }
    let thread = CallingThread()
    return {
        try thread.run {
            for _ in 0..<100 {
                guard case .hit(let entry) = try await tier.read(key), entry.isIntact else {
                    throw Failure(description: "no hit")
                }
            }
        }
    }
}
