@testable import Kingfisher
import Foundation
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing
import TestHelpers

/// A name server that does not answer delays only its own downloads: a cancel is delivered within 20 ms, and
/// no other transfer is delayed by 20 ms or more.
@Suite(.serialized) struct NameServerHangTests {
    /// Other load on the machine disturbs single measurements, so one success suffices; a real stall fails
    /// them all.
    private static let attempts = 6
    private static let cancels = 5
    private static let bound = Duration.milliseconds(20)

    @Test(
        "Cancelling during a DNS lookup that hangs returns within 20 ms, and other transfers continue",
        .behaviours("N-3"))
    func cancelling() async throws {
        var measured: [String] = []
        for _ in 0..<Self.attempts {
            let (cancel, stall) = try await measure()
            measured.append("cancel \(cancel), stall \(stall)")
            if cancel < Self.bound, stall < Self.bound {
                return print("DNS hangs: \(measured.last ?? "") (medians of \(Self.cancels))")
            }
        }
        Issue.record("\(measured)")
    }

    /// Medians of the duration of a cancel, and of the extra time of the slowest concurrent transfer.
    private func measure() async throws -> (cancel: Duration, stall: Duration) {
        let server = try LoopbackServer { _ in .ok(Data(repeating: 7, count: 4_096)) }
        defer { server.stop() }
        let resolver = HangingResolver()
        defer { resolver.release() }
        var configuration = CurlTransport.Configuration()
        configuration.resolver = resolver
        configuration.environment = [:]
        let transport = CurlTransport(configuration)
        defer { transport.invalidate() }
        let downloader = ImageDownloader(name: "names", transport: transport)
        let traffic = Traffic(downloader, server)
        var cancels: [Duration] = []
        var stalls: [Duration] = []
        try await withThrowingTaskGroup(of: Void.self) { group in
            for series in 0..<3 { group.addTask { try await traffic.run(series) } }
            #expect(await poll { traffic.count > 30 })
            for number in 0..<Self.cancels {
                let baseline = try await traffic.slowest { try await Task.sleep(for: .milliseconds(60)) }
                let disturbed = try await traffic.slowest {
                    cancels.append(try await cancelOne(number, downloader, resolver))
                    try await Task.sleep(for: .milliseconds(60))
                }
                stalls.append(disturbed - baseline)
            }
            traffic.stop()
            try await group.waitForAll()
        }
        return (cancels.median, max(.zero, stalls.median))
    }

    /// The time from a cancel during a name lookup to its callback.
    private func cancelOne(
        _ number: Int, _ downloader: ImageDownloader, _ resolver: HangingResolver
    ) async throws -> Duration {
        let url = try #require(URL(string: "http://hangs-\(number).test/image.jpg"))
        let ends = Inbox<(Bool, ContinuousClock.Instant)>()
        let task = downloader.downloadImage(with: url, options: [.callbackQueue(.untouch)]) {
            ends.put(($0.failure?.isTaskCancelled == true, .now))
        }
        #expect(await poll { resolver.waiting > number })
        let start = ContinuousClock.now
        task.cancel()
        let (isCancelled, end) = try await ends.first()
        #expect(isCancelled)
        return end - start
    }
}

/// Times small downloads in several sequential series, by host name and by address.
private final class Traffic: Sendable {
    private let downloader: ImageDownloader
    private let server: LoopbackServer
    private let state = Mutex((count: 0, slowest: Duration.zero, isStopped: false))

    init(_ downloader: ImageDownloader, _ server: LoopbackServer) {
        self.downloader = downloader
        self.server = server
    }

    var count: Int { state.withLock(\.count) }

    func stop() { state.withLock { $0.isStopped = true } }

    func run(_ series: Int) async throws {
        let host = series == 0 ? "quick.test" : "127.0.0.1"
        var number = 0
        while !state.withLock(\.isStopped) {
            number += 1
            let url = try #require(URL(string: "http://\(host):\(server.port)/\(series)-\(number)"))
            let start = ContinuousClock.now
            _ = try await downloader.downloadImage(with: url, options: [.processor(BytesOnly())])
            let time = ContinuousClock.now - start
            state.withLock { state in
                state.count += 1
                state.slowest = max(state.slowest, time)
            }
        }
    }

    /// The longest time of a transfer that ended during `body` or shortly after it.
    func slowest(during body: () async throws -> Void) async throws -> Duration {
        state.withLock { $0.slowest = .zero }
        try await body()
        // A transfer that stalled has not ended yet.
        let count = count
        #expect(await poll { self.count > count + 3 })
        return state.withLock(\.slowest)
    }
}

/// Returns an empty image: only the transfers matter here.
private struct BytesOnly: ImageProcessor {
    let identifier = "bytes"

    func process(item: ImageProcessItem, options: KingfisherParsedOptionsInfo) -> KFCrossPlatformImage? {
        KFCrossPlatformImage()
    }
}

/// Resolves every name immediately, except those that start with "hangs".
private final class HangingResolver: Resolver {
    typealias Completion = @Sendable (Result<[IPAddress], TransportError>) -> Void
    private let hanging = Mutex<[Completion]>([])

    var waiting: Int { hanging.withLock(\.count) }

    func resolve(_ host: String, completion: @escaping Completion) {
        if host.hasPrefix("hangs") { return hanging.withLock { $0.append(completion) } }
        completion(.success(IPAddress("127.0.0.1").map { [$0] } ?? []))
    }

    /// Fails the pending lookups, long after their downloads were cancelled.
    func release() {
        let completions = hanging.withLock { hanging in
            defer { hanging = [] }
            return hanging
        }
        for completion in completions { completion(.failure(.resolve("too late"))) }
    }
}

extension [Duration] {
    fileprivate var median: Duration { sorted()[count / 2] }
}
