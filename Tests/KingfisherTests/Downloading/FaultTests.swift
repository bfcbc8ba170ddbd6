import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// What real servers do wrong, over real connections: each its documented error, and nothing is cached.
@Suite struct FaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let response: @Sendable (Data) -> ServerResponse
        let reason: String
        var code: URLError.Code?

        var testDescription: String { name }
    }

    private static let faults = [
        Fault(name: "broken picture", response: { .ok(broken($0)) }, reason: "processingFailed"),
        Fault(
            name: "half a picture", response: { .ok($0.prefix($0.count / 2)) }, reason: "processingFailed"),
        Fault(name: "empty", response: { _ in .ok(Data()) }, reason: "processingFailed"),
        Fault(
            name: "HTML",
            response: { _ in
                .ok(
                    Data("<!DOCTYPE html><title>Sign in</title>".utf8),
                    headers: [("Content-Type", "image/jpeg")])
            }, reason: "processingFailed"),
        Fault(
            name: "shorter than announced", response: { .lying($0, announcing: "\($0.count + 100)") },
            reason: "URLSessionError", code: .networkConnectionLost),
        Fault(
            name: "longer than announced", response: { .lying($0, announcing: "\($0.count / 2)") },
            reason: "processingFailed"),
        Fault(
            name: "announces Int64.max", response: { .lying($0, announcing: "9223372036854775807") },
            reason: "URLSessionError", code: .dataLengthExceedsMaximum),
        Fault(
            name: "announces more than Int64.max",
            response: { .lying($0, announcing: "9223372036854775808") },
            reason: "URLSessionError"),
        Fault(
            name: "announces less than nothing", response: { .lying($0, announcing: "-1") },
            reason: "URLSessionError", code: .badServerResponse),
        Fault(
            name: "chunks without an end", response: { .truncatedChunks([$0]) }, reason: "URLSessionError",
            code: .networkConnectionLost),
        Fault(name: "404", response: { .status(404, body: $0) }, reason: "invalidHTTPStatusCode"),
        Fault(name: "500", response: { .status(500, body: $0) }, reason: "invalidHTTPStatusCode"),
        Fault(
            name: "redirect loop", response: { _ in .redirect(to: "/loop") }, reason: "URLSessionError",
            code: .httpTooManyRedirects),
        Fault(
            name: "redirect to a file", response: { _ in .redirect(to: "file:///etc/passwd") },
            reason: "URLSessionError"),
        Fault(
            name: "reset before the head", response: { _ in ServerResponse([.reset]) },
            reason: "URLSessionError",
            code: .networkConnectionLost),
        Fault(
            name: "reset in the body", response: { .partial($0.prefix(64), of: $0.count, then: .reset) },
            reason: "URLSessionError", code: .networkConnectionLost),
        Fault(name: "not HTTP", response: { _ in .raw("hello?\r\n\r\n") }, reason: "URLSessionError"),
    ]

    /// Noise in the middle of the entropy-coded data, header and end untouched, and the end missing.
    private static func broken(_ jpeg: Data) -> Data {
        var bytes = jpeg
        let middle = bytes.count / 2
        for index in middle..<(middle + 400) { bytes[bytes.startIndex + index] = 0xFF }
        return bytes
    }

    @Test("A fault on the wire", arguments: faults)
    func onTheWire(fault: Fault) async throws {
        let jpeg = try Pictures.jpeg
        let server = try LoopbackServer { _ in fault.response(jpeg) }
        defer { server.stop() }
        let error = try await failure(of: server.url("/picture.jpg"))
        #expect(error.reasonName == fault.reason)
        if let code = fault.code { #expect(error.urlErrorCode == code) }
    }

    @Test("Refused")
    func refused() async throws {
        let server = try LoopbackServer { _ in .status(200) }
        let url = server.url("/picture.jpg")
        server.stop()
        let error = try await failure(of: url)
        #expect(error.reasonName == "URLSessionError")
        #expect(error.urlErrorCode == .cannotConnectToHost)
    }

    @Test("Unresolvable")
    func unresolvable() async throws {
        let url = try #require(URL(string: "http://no-such-host.invalid/picture.jpg"))
        let error = try await failure(of: url)
        #expect(error.reasonName == "URLSessionError")
        #expect(error.urlErrorCode == .cannotFindHost)
    }

    @Test("A server that goes silent is given up after the downloader's timeout")
    func silent() async throws {
        let jpeg = try Pictures.jpeg
        let server = try LoopbackServer { _ in .partial(jpeg.prefix(64), of: jpeg.count, then: .hang) }
        defer { server.stop() }
        let error = try await failure(of: server.url("/picture.jpg")) { $0.downloadTimeout = 0.3 }
        #expect(error.urlErrorCode == .timedOut)
    }

    @Test("A slow drip, never silent for long, is given up after the time for the whole resource")
    func slowDrip() async throws {
        let jpeg = try Pictures.jpeg
        let server = try LoopbackServer { _ in .ok(jpeg).dripping(1, every: .milliseconds(20)) }
        defer { server.stop() }
        let error = try await failure(of: server.url("/picture.jpg")) { downloader in
            let configuration = URLSessionConfiguration.ephemeral
            configuration.timeoutIntervalForResource = 0.5
            downloader.sessionConfiguration = configuration
        }
        #expect(error.urlErrorCode == .timedOut)
        #expect(await server.wait { $0.openConnections == 0 })
    }

    /// The error of a request through a manager of its own, after checking that nothing was cached.
    private func failure(
        of url: URL, _ prepare: (ImageDownloader) -> Void = { _ in }
    ) async throws -> KingfisherError {
        let folder = try TemporaryFolder()
        let cache = try ImageCache(name: "faults", cacheDirectoryURL: folder.url)
        let downloader = ImageDownloader(name: "faults")
        prepare(downloader)
        let manager = KingfisherManager(downloader: downloader, cache: cache)
        let error = await #expect(throws: KingfisherError.self) {
            _ = try await manager.retrieveImage(with: url, options: [.waitForCache])
        }
        try await cache.settle()
        #expect(cache.memoryStorageCacheCost == 0)
        // Neither in the cache's folder nor beside it: no half-written file.
        let everything = FileManager.default.enumerator(at: folder.url, includingPropertiesForKeys: nil)
        let files = (everything?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
        #expect(files.isEmpty)
        return try #require(error)
    }
}

extension KingfisherError {
    /// The code of the `URLError` inside, if that is what failed.
    var urlErrorCode: URLError.Code? {
        guard case .responseError(.URLSessionError(let error)) = self else { return nil }
        return (error as? URLError)?.code
    }
}
