import Dispatch
import Foundation
import KingfisherImage
import KingfisherTestSupport
import Synchronization
import Testing

@testable import Kingfisher

/// A view's loads over a transport that is fed by hand, and what is asked of `onImageUpdated`.
@MainActor struct PreviewRig {
    let file: ProgressiveFile
    let folder: TemporaryFolder
    let cache: ImageCache
    let transport = HandTransport()
    let downloader: ImageDownloader
    /// The images that a delegate was asked about.
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

    /// Waits for the transfer number `count` and answers its head.
    func begin(_ count: Int = 1) async {
        let transport = transport
        let hasStarted = await poll { @Sendable in transport.started == count }
        #expect(hasStarted)
        transport.sendHead()
    }

    /// Delivers up to `scan`, and waits until all that this leads to has happened.
    func receive(_ first: Int, to scan: Int) async {
        transport.send(file.piece(after: first, upTo: scan))
        await settle()
    }

    /// Waits until a delegate was asked `count` times in all, and for what follows from that. A load that
    /// joins a download looks into the caches first, for which `settle` alone does not wait.
    func asks(_ count: Int) async throws {
        _ = try await asked.first(count)
        await settle()
    }

    /// Lets images that are being made be shown, and those that follow from that.
    func settle() async {
        for _ in 0..<12 {
            await withCheckedContinuation { done in ProgressivePreviews.queue.async { done.resume() } }
            await passMainQueue()
        }
    }
}
