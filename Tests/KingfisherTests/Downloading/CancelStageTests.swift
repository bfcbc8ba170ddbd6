@testable import Kingfisher
import Foundation
import KingfisherTestSupport
import Synchronization
import Testing
import TestHelpers

/// Cancels over real connections at every stage of a download. The callback comes immediately, and the server
/// sees its connection close.
@Suite struct CancelStageTests {
    /// Signals between the code of a stage and the test.
    struct Signals: Sendable {
        let isReached = Inbox<Void>()
        /// Opened after the callback of the cancel, which must not wait for it.
        let end = Latch()

        /// Reports that the stage is reached and blocks the calling thread.
        func block() {
            isReached.put()
            _ = end.wait(upTo: 20)
        }
    }

    struct Stage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let response: @Sendable (_ request: ServerRequest, _ image: Data) -> ServerResponse
        var options: @Sendable (Signals) -> KingfisherOptionsInfo = { _ in [] }
        var delegate: (@Sendable (Signals) -> any ImageDownloaderDelegate)?
        /// Whether the stage signals `isReached`; otherwise it is reached with the server's last response.
        var signalsStage = false
        /// Whether part of the body must have arrived.
        var needsBytes = false
        /// Whether the response is complete, so that the connection is reused.
        var keepsConnection = false
    }

    private static let stages = [
        Stage(testDescription: "before the head") { _, _ in ServerResponse([.hang]) },
        Stage(testDescription: "in the head") { _, _ in
            ServerResponse([.send(Data("HTTP/1.1 200 OK\r\nContent-Le".utf8)), .hang])
        },
        Stage(
            testDescription: "in the body",
            response: { _, image in .partial(image.prefix(64), of: image.count, then: .hang) },
            needsBytes: true),
        Stage(
            testDescription: "in a chunk",
            response: { _, image in
                let head = ServerResponse.head(200, headers: [("Transfer-Encoding", "chunked")])
                return ServerResponse([.send(head), .send(Data("1000\r\n".utf8) + image.prefix(64)), .hang])
            }, needsBytes: true),
        Stage(
            testDescription: "in a slow body",
            response: { _, image in .ok(image).dripping(1, every: .milliseconds(5)) }, needsBytes: true),
        Stage(testDescription: "after a redirect") { request, _ in
            request.path == "/next" ? ServerResponse([.hang]) : .redirect(to: "/next")
        },
        Stage(
            testDescription: "while a redirect handler decides", response: { _, _ in .redirect(to: "/next") },
            options: { signals in
                [
                    .redirectHandler(
                        AnyRedirectHandler { _, _, request, answer in
                            Thread {
                                signals.block()
                                answer(request)
                            }.start()
                        })
                ]
            }, signalsStage: true, keepsConnection: true),
        Stage(
            testDescription: "while the delegate decides",
            response: { _, image in .partial(image, of: image.count + 1, then: .hang) },
            delegate: { SlowDelegate(signals: $0) }, signalsStage: true),
        Stage(
            testDescription: "while the image is processed", response: { _, image in .ok(image) },
            options: { signals in
                [
                    .processor(
                        CountingProcessor("slow") { image in
                            signals.block()
                            return image
                        })
                ]
            }, signalsStage: true, keepsConnection: true),
    ]

    @Test(
        "A cancel calls back once and immediately, and closes the connection", .behaviours("N-3", "N-7"),
        arguments: stages)
    func cancels(stage: Stage) async throws {
        let image = try TestImages.jpeg
        let server = try LoopbackServer { stage.response($0, image) }
        defer { server.stop() }
        let signals = Signals()
        defer { signals.end.open() }
        let downloader = ImageDownloader(name: "cancelled")
        let delegate = stage.delegate?(signals)
        downloader.delegate = delegate
        let outcomes = Inbox<(Result<ImageLoadingResult, KingfisherError>, ContinuousClock.Instant)>()
        let task = downloader.downloadImage(
            with: server.url("/image.jpg"), options: stage.options(signals) + [.callbackQueue(.untouch)]
        ) { outcomes.put(($0, .now)) }
        let session = try #require(task.sessionTask)
        if stage.signalsStage {
            _ = try await signals.isReached.first(1)
        } else {
            let isLastHop: (LoopbackServer) -> Bool = { server in
                server.requests.last.map { stage.response($0, image).isFinal } ?? false
            }
            #expect(await server.wait(until: isLastHop))
        }
        if stage.needsBytes { #expect(await poll { !session.mutableData.isEmpty }) }
        let start = ContinuousClock.now
        task.cancel()
        let (outcome, end) = try await outcomes.first()
        #expect(outcome.failure?.isTaskCancelled == true)
        #expect(end - start < .milliseconds(500 * ProcessStatus.slowness))
        if !stage.keepsConnection {
            #expect(await server.wait(upTo: .seconds(2)) { $0.openConnections == 0 })
        }
        signals.end.open()
        #expect(await poll { downloader.transfers.withLock(\.isEmpty) })
        await passMainQueue()
        #expect(outcomes.count == 1)
        withExtendedLifetime(delegate) {}
    }

    @Test("A download that waits for a connection is cancelled without one", .behaviours("N-3"))
    func waiting() async throws {
        let image = try TestImages.jpeg
        let gate = ServerGate()
        let server = try LoopbackServer { _ in .ok(image).held(by: gate) }
        defer { server.stop() }
        let downloader = ImageDownloader(name: "waiting")
        downloader.minimumRate = nil
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        downloader.sessionConfiguration = configuration
        let held = Inbox<Result<ImageLoadingResult, KingfisherError>>()
        let waiting = Inbox<Result<ImageLoadingResult, KingfisherError>>()
        downloader.downloadImage(with: server.url("/held")) { held.put($0) }
        #expect(await server.wait { $0.requestCount() == 1 })
        let task = downloader.downloadImage(with: server.url("/waiting")) { waiting.put($0) }
        task.cancel()
        #expect(try await waiting.first().failure?.isTaskCancelled == true)
        gate.release()
        #expect(reason(try await held.first()) == nil)
        #expect(server.requests.map(\.path) == ["/held"])
    }

    @Test(
        "A response that the delegate refuses closes its connection without reading the body",
        .behaviours("N-10"))
    func refused() async throws {
        let server = try LoopbackServer { _ in .partial(Data(count: 64), of: 1 << 20, then: .hang) }
        defer { server.stop() }
        let downloader = ImageDownloader(name: "refused")
        let delegate = RecordingDelegate(.init(disposition: .cancel))
        downloader.delegate = delegate
        let error = await #expect(throws: KingfisherError.self) {
            _ = try await downloader.downloadImage(with: server.url("/image.jpg"))
        }
        #expect(error?.reasonName == "cancelledByDelegate")
        #expect(await server.wait { $0.openConnections == 0 })
        withExtendedLifetime(delegate) {}
    }
}

private final class SlowDelegate: ImageDownloaderDelegate, Sendable {
    private let signals: CancelStageTests.Signals

    init(signals: CancelStageTests.Signals) { self.signals = signals }

    func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        await withCheckedContinuation { continuation in
            Thread { [signals] in
                signals.block()
                continuation.resume()
            }.start()
        }
        return .allow
    }
}

extension ServerResponse {
    /// Whether it is not a redirect.
    fileprivate var isFinal: Bool {
        guard case .send(let head)? = steps.first else { return true }
        return head.range(of: Data("Location".utf8)) == nil
    }
}
