import Foundation
import Kingfisher
import Synchronization
import TestHelpers

/// A delegate that records its calls and returns configured values.
final class RecordingDelegate: ImageDownloaderDelegate, Sendable {
    enum Event: Sendable, Equatable {
        case willDownload(URL)
        case finished(URL, reason: String?)
        case image(URL)
        case status(Int)
    }

    /// The values to return; nil fields return the default.
    struct Answers: Sendable {
        var dataForURL: (@Sendable (Data) -> Data?)?
        var validStatus: (@Sendable (Int) -> Bool)?
        var disposition: URLSession.ResponseDisposition = .allow
    }

    let events = Inbox<Event>()
    let responses = Inbox<URLResponse>()
    private let answers: Answers

    init(_ answers: Answers = Answers()) {
        self.answers = answers
    }

    func imageDownloader(
        _ downloader: ImageDownloader, willDownloadImageForURL url: URL, with request: URLRequest?
    ) {
        events.put(.willDownload(url))
    }

    func imageDownloader(
        _ downloader: ImageDownloader, didFinishDownloadingImageForURL url: URL, with response: URLResponse?,
        error: (any Error)?
    ) {
        events.put(.finished(url, reason: (error as? KingfisherError)?.reasonName))
    }

    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data? {
        answers.dataForURL.map { $0(data) } ?? data
    }

    func imageDownloader(
        _ downloader: ImageDownloader, didDownload image: Image, for url: URL, with response: URLResponse?
    ) {
        events.put(.image(url))
    }

    func isValidStatusCode(_ code: Int, for downloader: ImageDownloader) -> Bool {
        answers.validStatus?(code) ?? (200..<400).contains(code)
    }

    func imageDownloader(
        _ downloader: ImageDownloader, didReceive response: URLResponse
    ) async -> URLSession.ResponseDisposition {
        responses.put(response)
        return answers.disposition
    }

    var finishes: Int {
        events.values.count { if case .finished = $0 { true } else { false } }
    }
}

/// Implements only the task-based data method.
final class TaskDataDelegate: ImageDownloaderDelegate, Sendable {
    let asked = Inbox<String>()
    private let answer: Data?

    init(_ answer: Data?) {
        self.answer = answer
    }

    func imageDownloader(
        _ downloader: ImageDownloader, didDownload data: Data, with task: SessionDataTask
    ) -> Data? {
        asked.put("task")
        return answer
    }

    func imageDownloader(_ downloader: ImageDownloader, didDownload data: Data, for url: URL) -> Data? {
        asked.put("url")
        return data
    }
}
