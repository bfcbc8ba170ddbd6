import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// Downloads that wait for a connection, of a manager with a memory budget.
@Suite struct WaitingTransferTests {
    private static let silent = "silent.invalid"

    /// Sends requests for the silent host to a stub that does not respond until it is released.
    private struct Hosts: Transport {
        let silent = StubTransport { _ in StubAnswer(status: 404) }
        let others = StubTransport { _ in (try? TestImages.png).map { .ok($0) } ?? .failure(.cancelled) }

        func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
            let isSilent = request.urlRequest.url?.host == WaitingTransferTests.silent
            return (isSilent ? silent : others).start(request, handler: handler)
        }

        func invalidate() {}
    }

    private let hosts = Hosts()
    private let folder: TemporaryFolder
    private let manager: KingfisherManager

    init() throws {
        folder = try TemporaryFolder()
        manager = KingfisherManager(
            downloader: ImageDownloader(name: "waiting", transport: hosts),
            cache: try ImageCache(name: "waiting", cacheDirectoryURL: folder.url))
        manager.memoryBudget = 64 << 20
        hosts.silent.hold()
    }

    private typealias Results = Inbox<Result<RetrieveImageResult, KingfisherError>>

    private func load(_ count: Int, from host: String) -> Results {
        let inbox = Results()
        for number in 0..<count {
            guard let url = URL(string: "http://\(host)/\(number).png") else { continue }
            manager.retrieveImage(with: url, options: [.callbackQueue(.untouch), .cacheMemoryOnly]) {
                inbox.put($0)
            }
        }
        return inbox
    }

    @Test("1,100 downloads from a silent host refuse no download from another host")
    func silentHost() async throws {
        let stuck = load(1_100, from: Self.silent)
        let honest = try await load(50, from: "honest.invalid").first(50)
        #expect(honest.allSatisfy { reason($0) == nil })
        #expect(stuck.values.isEmpty && manager.admission?.load.queueLength == 0)
        hosts.silent.release()
        let ended = try await stuck.first(1_100)
        #expect(ended.allSatisfy { reason($0) == "invalidHTTPStatusCode" })
        #expect(await poll { manager.admission?.load ?? (1, 1) == (0, 0) })
    }

    @Test("Downloads of one host beyond a quarter of eight times the queue fail at once with code 9001")
    func limit() async throws {
        manager.maximumQueueLength = 5
        // Six have connections, ten wait.
        let stuck = load(20, from: Self.silent)
        let refused = try await stuck.first(4)
        for result in refused {
            let error = try #require(result.failure)
            #expect(error.errorCode == 9001 && error.retryAfter == 1)
        }
        #expect(reason(try await load(1, from: "honest.invalid").first(1)[0]) == nil)
        #expect(stuck.values.count == 4)
        hosts.silent.release()
        let ended = try await stuck.first(20).dropFirst(4)
        #expect(ended.allSatisfy { reason($0) == "invalidHTTPStatusCode" })
    }

    @Test("Without a memory budget any number of downloads waits", .behaviours("P-5"))
    func noBudget() async throws {
        manager.maximumQueueLength = 1
        manager.memoryBudget = nil
        let stuck = load(2_000, from: Self.silent)
        #expect(await poll { hosts.silent.requests.count == 6 })
        hosts.silent.release()
        let ended = try await stuck.first(2_000)
        #expect(ended.allSatisfy { reason($0) == "invalidHTTPStatusCode" })
    }
}
