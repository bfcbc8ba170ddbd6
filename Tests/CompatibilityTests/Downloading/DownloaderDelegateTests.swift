import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// Writes down what a downloader tells, in order.
private final class Observer: ImageDownloaderDelegate {
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

/// Takes 404 for an answer.
private final class Lenient: ImageDownloaderDelegate {
    func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
        code == 404
    }
}

/// Turns away what it does not like by its header.
private final class Doorman: ImageDownloaderDelegate {
    func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        response.expectedContentLength > 1000 ? .cancel : .allow
    }
}

/// Unpacks what a server has packed its own way.
private final class Unpacker: ImageDownloaderDelegate {
    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data? {
        Data(base64Encoded: data)
    }
}

/// Lets nothing through.
private final class Censor: ImageDownloaderDelegate {
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

    @Test("Hears of each download's beginning, end and image")
    func events() async throws {
        let observer = Observer()
        box.downloader.delegate = observer
        _ = try await box.downloader.downloadImage(with: box.url("PNG/rgb8.png"))
        _ = try? await box.downloader.downloadImage(with: box.url("missing.png"))
        #expect(
            observer.events.value.prefix(3) == ["will rgb8.png GET", "finished rgb8.png true", "image 33"])
        #expect(observer.events.value.dropFirst(3) == ["will missing.png GET", "finished missing.png false"])
    }

    @Test("Decides which status is a good one")
    func status() async {
        let delegate = Lenient()
        box.downloader.delegate = delegate
        let error = await #expect(throws: KingfisherError.self) {
            try await box.downloader.downloadImage(with: box.url("PNG/rgb8.png"))
        }
        #expect(error?.isInvalidResponseStatusCode(200) == true)
    }

    @Test("Turns away a file that is too large before it arrives")
    func response() async throws {
        let delegate = Doorman()
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

    @Test("Unpacks the data of an image")
    func unpacks() async throws {
        let delegate = Unpacker()
        box.downloader.delegate = delegate
        let result = try await box.downloader.downloadImage(with: box.url("packed/PNG/rgb8.png"))
        #expect(result.originalData == (try Fixtures.data(named: "PNG/rgb8.png")))
        #expect(result.image.size == CGSize(width: 33, height: 21))
    }

    @Test("Refuses the data of an image")
    func refuses() async {
        let delegate = Censor()
        box.downloader.delegate = delegate
        let error = await #expect(throws: KingfisherError.self) {
            try await box.downloader.downloadImage(with: box.url("PNG/rgb8.png"))
        }
        #expect(error?.errorCode == 2004)
    }
}
