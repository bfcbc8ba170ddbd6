import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher
@testable import KingfisherTransport

/// User code that blocks the transport's thread until another transfer of the same round is delivered.
@Suite struct RoundTests {
    enum Blocker: CaseIterable {
        case head, data, end, failedCompletion, immediateProcessing
    }

    /// A transport whose transfers all end in one round, in order of their start.
    private final class RoundTransport: Transport {
        private final class Ticket: TransportTask {
            func cancel() {}
            func resume() {}
        }

        private typealias Transfer = (ticket: Ticket, handler: any TransportHandler, url: URL)

        private let transfers = Locked<[Transfer]>([])

        var count: Int { transfers.withLock(\.count) }

        func start(_ request: TransportRequest, handler: any TransportHandler) -> any TransportTask {
            let ticket = Ticket()
            transfers.withLock { $0.append((ticket, handler, request.urlRequest.url ?? URL(filePath: "/"))) }
            return ticket
        }

        func invalidate() {}

        /// Completes every transfer with `body`, except those of `.broken` files, which fail.
        func endAll(with body: Data) {
            let transfers = transfers.withLock { $0 }
            Thread {
                let round = LoopIteration()
                round.enter()
                for (ticket, handler, url) in transfers {
                    guard url.pathExtension != "broken",
                        let head = HTTPURLResponse(
                            url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
                    else {
                        handler.transfer(ticket, finished: .failure(.connectionLost("by hand")))
                        continue
                    }
                    _ = handler.transfer(ticket, head: TransportResponse(head))
                    _ = body.withUnsafeBytes { handler.transfer(ticket, body: $0) }
                    handler.transfer(ticket, finished: .success(TransportMetrics()))
                }
                round.leave()
            }.start()
        }
    }

    /// Waits in a delegate method of the second transfer.
    private final class Delegate: ImageDownloaderDelegate, Sendable {
        let blocker: Blocker
        let second: URL
        let wait: @Sendable () -> Void

        init(_ blocker: Blocker, second: URL, wait: @escaping @Sendable () -> Void) {
            (self.blocker, self.second, self.wait) = (blocker, second, wait)
        }

        func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
            if blocker == .head { wait() }
            return true
        }

        func imageDownloader(
            _ downloader: ImageDownloader, didDownload data: Data, with dataTask: SessionDataTask
        ) -> Data? {
            if blocker == .data, dataTask.originalURL == second { wait() }
            return data
        }

        func imageDownloader(
            _ downloader: ImageDownloader, didFinishDownloadingImageForURL url: URL,
            with response: URLResponse?, error: (any Error)?
        ) {
            if blocker == .end, url == second { wait() }
        }
    }

    @Test("Blocking user code gets the transfer that it waits for", arguments: Blocker.allCases)
    func deliversBeforeBlocking(_ blocker: Blocker) async throws {
        let transport = RoundTransport()
        let downloader = ImageDownloader(name: "rounds", transport: transport)
        let first = Bench.freshURL()
        let second = Bench.freshURL(blocker == .failedCompletion ? "broken" : "png")
        let (firstDone, waited, done) = (Latch(), Inbox<Bool>(), Inbox<Void>())
        let wait: @Sendable () -> Void = { waited.put(firstDone.wait()) }
        // The head precedes the body, so the delegate is called for the first transfer before it has ended.
        let heads = Locked(0)
        let delegate = Delegate(blocker, second: second) {
            let isFirst = heads.withLock { heads in
                heads += 1
                return blocker == .head && heads == 1
            }
            if !isFirst { wait() }
        }
        if blocker == .head || blocker == .data || blocker == .end { downloader.delegate = delegate }
        downloader.downloadImage(with: first, options: [.callbackQueue(.untouch)]) { _ in firstDone.open() }
        let processing: KingfisherOptionsInfo =
            blocker == .immediateProcessing ? [.processingQueue(.untouch)] : []
        downloader.downloadImage(with: second, options: [.callbackQueue(.untouch)] + processing) { _ in
            if blocker == .failedCompletion || blocker == .immediateProcessing { wait() }
            done.put()
        }
        #expect(await poll { transport.count == 2 })
        transport.endAll(with: try TestImages.png)
        #expect(try await waited.first())
        _ = try await done.first(1)
        withExtendedLifetime(delegate) {}
    }
}
