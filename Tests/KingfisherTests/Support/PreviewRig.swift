import Dispatch
import Foundation
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// Loads a view over a manual transport, and records the calls of `onImageUpdated`.
@MainActor struct PreviewRig {
    let file: ProgressiveFile
    let folder: TemporaryFolder
    let cache: ImageCache
    let transport = ManualTransport()
    let downloader: ImageDownloader
    /// The images passed to the delegates.
    let asked = Inbox<Image>()

    init(_ name: String = "Progressive/small.jpg") throws {
        file = try ProgressiveFile(name)
        folder = try TemporaryFolder()
        cache = try ImageCache(name: "previews", cacheDirectoryURL: folder.url)
        downloader = ImageDownloader(name: "previews", transport: transport)
    }

    var options: KingfisherOptionsInfo { [.downloader(downloader), .targetCache(cache)] }

    func progressive(
        isBlur: Bool = false, isFastestScan: Bool = true,
        _ strategy: @escaping @Sendable (Image) -> ImageProgressive.UpdatingStrategy = { _ in .default }
    ) -> ImageProgressive {
        let progressive = ImageProgressive(isBlur: isBlur, isFastestScan: isFastestScan, scanInterval: 0)
        progressive.onImageUpdated.delegate(on: asked) { asked, image in
            asked.put(image)
            return strategy(image)
        }
        return progressive
    }

    /// Waits for the transfer number `count` and sends its head.
    func begin(_ count: Int = 1) async {
        let transport = transport
        let hasStarted = await poll { @Sendable in transport.started == count }
        #expect(hasStarted)
        transport.sendHead()
    }

    /// Sends the data up to `scan`, and waits until it is processed.
    func receive(_ first: Int, to scan: Int) async {
        transport.send(file.piece(after: first, upTo: scan))
        await settle()
    }

    /// Waits for `count` delegate calls in total and their effects. A load that joins a download first reads
    /// the caches, which `settle` does not wait for.
    func asks(_ count: Int) async throws {
        _ = try await asked.first(count)
        await settle()
    }

    /// Waits for previews that are being made to be shown.
    func settle() async {
        for _ in 0..<12 {
            await withCheckedContinuation { done in ProgressivePreviews.queue.async { done.resume() } }
            await passMainQueue()
        }
    }
}
