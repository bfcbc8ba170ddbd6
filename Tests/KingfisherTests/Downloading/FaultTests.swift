@testable import Kingfisher
import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

/// Faults of real servers, over real connections. Each fails with its documented error in time, caches
/// nothing and leaks nothing.
@Suite struct FaultTests {
    @Test("A fault on the wire fails with its documented error", arguments: Fault.table)
    func onTheWire(fault: Fault) async throws {
        try await FaultRun(fault).run()
    }

    @Test("The whole table leaves no descriptor, connection or thread behind")
    func leavesNothing() async {
        // A separate process, so that resources of other tests do not count.
        await #expect(processExitsWith: .success) {
            // Resources created on first use (pools, timers, key queues) are not leaks.
            for fault in Fault.table.prefix(12) { try await FaultRun(fault).run() }
            let before = ProcessResources()
            for fault in Fault.table { try await FaultRun(fault).run() }
            let settled = await poll { !ProcessResources().exceeds(before) }
            let after = ProcessResources()
            #expect(settled, "\(before) before, \(after) after")
            // Of 300 MB decompressed, 64 MB may be held, and twice that while the buffer grows. Sanitizers
            // need more.
            #expect(ProcessStatus.peakResidentBytes < 256 << 20 || ProcessStatus.isSanitized)
        }
    }

    @Test("A refused connection fails with cannotConnectToHost")
    func refused() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let url = server.url("/image.jpg")
        server.stop()
        let outcome = try await FaultRun.outcome(of: url, with: ImageDownloader(name: "refused"))
        #expect(outcome == .transfer(.cannotConnectToHost))
    }

    @Test("An unresolvable host fails with cannotFindHost")
    func unresolvable() async throws {
        let url = try #require(URL(string: "http://no-such-host.invalid/image.jpg"))
        let outcome = try await FaultRun.outcome(of: url, with: ImageDownloader(name: "unresolvable"))
        #expect(outcome == .transfer(.cannotFindHost))
    }

    @Test("A host may be an IPv6 address")
    func ipv6() async throws {
        let image = try TestImages.jpeg
        // A machine without IPv6 skips the test.
        guard let server = try? LoopbackServer(ipv6: true, { _ in .ok(image) }) else { return }
        defer { server.stop() }
        let outcome = try await FaultRun.outcome(
            of: server.url("/image.jpg"), with: ImageDownloader(name: "six"))
        #expect(outcome == .image)
        #expect(server.requests.first?.header("Host") == "[::1]:\(server.port)")
    }

    @Test("A Brotli body, which requests do not accept, fails with cannotDecodeContentData")
    func brotli() async throws {
        let image = try TestImages.png
        // RFC 7932, 9: a window of 16 bits, one uncompressed meta-block, an empty last one.
        let head = (image.count - 1) << 4 | 1 << 20
        let body = Data([UInt8(head & 255), UInt8(head >> 8 & 255), UInt8(head >> 16)]) + image + [3]
        let server = try LoopbackServer { _ in .ok(body, headers: [("Content-Encoding", "br")]) }
        defer { server.stop() }
        let outcome = try await FaultRun.outcome(
            of: server.url("/image.png"), with: ImageDownloader(name: "brotli"))
        #expect(outcome == .transfer(.cannotDecodeContentData))
        #expect(server.requests.first?.header("Accept-Encoding") == "gzip, deflate")
    }

    @Test("Credentials are not sent on a redirect to another origin", .behaviours("N-26"))
    func credentials() async throws {
        let image = try TestImages.png
        let other = try LoopbackServer { _ in .ok(image) }
        defer { other.stop() }
        let target = other.url("/there").absoluteString
        let server = try LoopbackServer { request in
            request.path == "/here" ? .redirect(to: target) : .redirect(to: "/here")
        }
        defer { server.stop() }
        let secrets = ["Authorization": "Basic eDp5", "Cookie": "a=b"]
        let modifier = AnyModifier { request in
            var request = request
            for (name, value) in secrets { request.setValue(value, forHTTPHeaderField: name) }
            return request
        }
        let downloader = ImageDownloader(name: "credentials")
        let outcome = try await FaultRun.outcome(
            of: server.url("/start"), with: downloader, [.requestModifier(modifier)])
        #expect(outcome == .image)
        for (name, value) in secrets {
            #expect(server.requests.map { $0.header(name) } == [value, value])
            #expect(other.requests.map { $0.header(name) } == [nil])
        }
    }
}

/// Runs one row of the table through a manager, a downloader and libcurl.
struct FaultRun {
    let fault: Fault

    init(_ fault: Fault) { self.fault = fault }

    func run() async throws {
        let image = try TestImages.jpeg
        let server = try LoopbackServer(greeting: fault.greeting) { [fault] in fault.answer($0, image) }
        defer { server.stop() }
        try await check(server)
        // The downloader is released, and its connections with it.
        #expect(await server.wait { $0.openConnections == 0 }, "a connection outlives its downloader")
    }

    private func check(_ server: LoopbackServer) async throws {
        let downloader = downloader()
        let start = ContinuousClock.now
        let outcome = try await Self.outcome(of: server.url("/image.jpg"), with: downloader)
        #expect(ContinuousClock.now - start < Fault.bound)
        #expect(outcome == fault.outcome || outcome == fault.otherOutcome)
        #expect(await poll { downloader.transfers.withLock(\.isEmpty) })
        guard !fault.keepsConnection else { return }
        #expect(await server.wait { $0.openConnections == 0 }, "the connection stays open")
    }

    private func downloader() -> ImageDownloader {
        let downloader = ImageDownloader(name: "faults")
        if let silence = fault.silence { downloader.downloadTimeout = silence }
        if let maxBody = fault.maxBody { downloader.maxBodyBytes = maxBody }
        if let total = fault.total {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForResource = total
            downloader.sessionConfiguration = configuration
        }
        return downloader
    }

    /// The outcome of a request through a new manager. Checks that only an image was cached.
    static func outcome(
        of url: URL, with downloader: ImageDownloader, _ options: KingfisherOptionsInfo = []
    ) async throws -> Fault.Outcome {
        let folder = try TemporaryFolder()
        let cache = try ImageCache(name: "faults", cacheDirectoryURL: folder.url)
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        do {
            _ = try await manager.retrieveImage(with: url, options: options + [.waitForCache])
            return .image
        } catch {
            try await cache.settle()
            #expect(cache.memoryStorageCacheCost == 0)
            // No file may remain, in the cache's folder or beside it.
            let everything = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)
            let files = (everything?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
            #expect(files.isEmpty)
            let error = try #require(error as? KingfisherError)
            return .failure(error.reasonName, error.urlErrorCode)
        }
    }
}

extension KingfisherError {
    /// The code of the underlying `URLError`, if there is one.
    var urlErrorCode: URLError.Code? {
        guard case .responseError(.URLSessionError(let error)) = self else { return nil }
        return (error as? URLError)?.code
    }
}
