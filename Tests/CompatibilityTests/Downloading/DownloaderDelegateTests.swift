import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Records the delegate calls in order.
private final class RecordingDelegate: ImageDownloaderDelegate {
    let events = Shared<[String]>([])

    private func note(_ event: String) {
        events.change { $0.append(event) }
    }

    func imageDownloader(
        _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?
    ) {
        note("will \(url.lastPathComponent) \(request?.httpMethod ?? "")")
    }

    func imageDownloader(
        _ downloader: ImageDownloader, didFinishDownloadingImageForURL url: URL, with response: URLResponse?,
        error: (any Error)?
    ) {
        note("finished \(url.lastPathComponent) \(error == nil)")
    }

    func imageDownloader(
        _ downloader: ImageDownloader, didDownload image: KFCrossPlatformImage, for url: URL,
        with response: URLResponse?
    ) {
        note("image \(Int(image.size.width))")
    }
}

/// Accepts the status 404.
private final class NotFoundAcceptingDelegate: ImageDownloaderDelegate {
    func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
        code == 404
    }
}

/// Refuses large responses by their header.
private final class SizeLimitingDelegate: ImageDownloaderDelegate {
    func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        response.expectedContentLength > 1000 ? .cancel : .allow
    }
}

/// Decodes Base64 bodies.
private final class Base64Delegate: ImageDownloaderDelegate {
    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data? {
        Data(base64Encoded: data)
    }
}

/// Refuses all data.
private final class RefusingDelegate: ImageDownloaderDelegate {
    func imageDownloader(
        _ downloader: ImageDownloader, didDownload data: Data, with dataTask: SessionDataTask
    ) -> Data? {
        #expect(dataTask.mutableData == data)
        return nil
    }
}

@Suite(.timeLimit(.minutes(1))) struct DownloaderDelegateTests {
    let box: Sandbox

    init() throws {
        box = try Sandbox()
    }

    @Test("A delegate receives the start, the end and the image of each download")
    func events() async throws {
        let observer = RecordingDelegate()
        box.downloader.delegate = observer
        _ = try await box.downloader.downloadImage(with: box.url("PNG/rgb8.png"))
        _ = try? await box.downloader.downloadImage(with: box.url("missing.png"))
        #expect(
            observer.events.value.prefix(3) == ["will rgb8.png GET", "finished rgb8.png true", "image 33"])
        #expect(observer.events.value.dropFirst(3) == ["will missing.png GET", "finished missing.png false"])
    }

    @Test("A delegate decides which status codes are valid")
    func status() async {
        let delegate = NotFoundAcceptingDelegate()
        box.downloader.delegate = delegate
        let error = await #expect(throws: KingfisherError.self) {
            try await box.downloader.downloadImage(with: box.url("PNG/rgb8.png"))
        }
        #expect(error?.isInvalidResponseStatusCode(200) == true)
    }

    @Test("A delegate cancels a response that is too large")
    func response() async throws {
        let delegate = SizeLimitingDelegate()
        box.downloader.delegate = delegate
        let small = try await box.downloader.downloadImage(with: box.url("PNG/rgb8-1x9-adam7.png"))
        #expect(small.image.size == CGSize(width: 1, height: 9))
        let error = await #expect(throws: KingfisherError.self) {
            try await box.downloader.downloadImage(with: box.url("Photos/rocket.jpg"))
        }
        guard case .responseError(reason: .cancelledByDelegate(let response))? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(response.expectedContentLength == 29_620)
    }

    @Test("A delegate decodes the data of an image")
    func unpacks() async throws {
        let delegate = Base64Delegate()
        box.downloader.delegate = delegate
        let result = try await box.downloader.downloadImage(with: box.url("packed/PNG/rgb8.png"))
        #expect(result.originalData == (try Fixtures.data(named: "PNG/rgb8.png")))
        #expect(result.image.size == CGSize(width: 33, height: 21))
    }

    @Test("A delegate refuses the data of an image")
    func refuses() async {
        let delegate = RefusingDelegate()
        box.downloader.delegate = delegate
        let error = await #expect(throws: KingfisherError.self) {
            try await box.downloader.downloadImage(with: box.url("PNG/rgb8.png"))
        }
        #expect(error?.errorCode == 2004)
    }
}
