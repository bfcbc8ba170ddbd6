import Dispatch
import Foundation
import FoundationNetworking
import Kingfisher
import KingfisherTransport
import Synchronization

/// A file of a server, which is read by range requests (RFC 9110, 14).
///
/// Each response must be of the same file as the first one: of the same length, entity tag and date.
final class RemoteVideoFile: VideoFile {
    let count: Int
    private let requests: VideoRequests
    private let first: RangeResponse

    /// The first request, which also has the beginning of most indexes.
    private static let firstBytes = 0..<64 << 10

    init(_ requests: VideoRequests) throws {
        first = try requests.load(Self.firstBytes)
        count = first.total
        self.requests = requests
    }

    func bytes(_ range: Range<Int>) throws -> [UInt8] {
        if range.upperBound <= first.bytes.count { return Array(first.bytes[range]) }
        let response = try requests.load(range)
        guard response.isSameFile(as: first) else { throw VideoFrameError.changed }
        guard response.bytes.count == range.count else { throw URLError(.networkConnectionLost) }
        return response.bytes
    }
}

/// How parts of a file are requested.
struct VideoRequests: Sendable {
    private let url: URL
    private let downloader: ImageDownloader
    private let modifier: (any ImageDownloadRequestModifier)?
    private let cancellation: VideoCancellation

    init(
        _ url: URL, _ downloader: ImageDownloader, _ modifier: (any ImageDownloadRequestModifier)?,
        _ cancellation: VideoCancellation
    ) {
        (self.url, self.downloader) = (url, downloader)
        (self.modifier, self.cancellation) = (modifier, cancellation)
    }

    fileprivate func load(_ range: Range<Int>) throws -> RangeResponse {
        var request = URLRequest(
            url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: downloader.downloadTimeout)
        if let modifier {
            let modified: URLRequest? = modifier.modified(for: request)
            guard let modified else { throw VideoFrameError.unreadable("the request was refused") }
            request = modified
        }
        request.setValue("bytes=\(range.lowerBound)-\(range.upperBound - 1)", forHTTPHeaderField: "Range")
        // A range of encoded bytes would be another one.
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        let load = RangeLoad(range)
        let task = downloader.send(request, maxBodyBytes: range.count, handler: load)
        return try cancellation.cancelling(task.cancel) { try load.wait() }
    }
}

/// A part of a file, and the identity of that file.
private struct RangeResponse {
    var bytes: [UInt8] = []
    let total: Int
    private let tag: String?
    private let date: String?

    init(_ response: TransportResponse, to range: Range<Int>) throws {
        guard response.status == 206 else {
            throw [200, 416].contains(response.status)
                ? VideoFrameError.withoutRanges : VideoFrameError.status(response.status)
        }
        let fields = response.value(forField: "Content-Range")?.wholeMatch(of: /bytes (\d+)-(\d+)\/(\d+)/)
        guard let fields, let start = Int(fields.1), let end = Int(fields.2), let total = Int(fields.3),
            start == range.lowerBound, end == min(range.upperBound, total) - 1,
            response.value(forField: "Content-Encoding").map({ $0.lowercased() == "identity" }) ?? true
        else { throw VideoFrameError.withoutRanges }
        self.total = total
        tag = response.value(forField: "ETag")
        date = response.value(forField: "Last-Modified")
    }

    func isSameFile(as other: RangeResponse) -> Bool {
        (total, tag, date) == (other.total, other.tag, other.date)
    }
}

/// Receives one response, for a thread that waits for it.
private final class RangeLoad: TransportHandler {
    private struct State {
        var response: RangeResponse?
        var failure: (any Error)?
    }

    private let range: Range<Int>
    private let state = Mutex(State())
    // Blocks a thread of the queue of frames, which waits for a decoder as well.
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ range: Range<Int>) { self.range = range }

    func transfer(_ task: any TransportTask, head: TransportResponse) -> HeadDecision {
        state.withLock { state in
            do {
                state.response = try RangeResponse(head, to: range)
                return .proceed
            } catch {
                state.failure = error
                return .cancel
            }
        }
    }

    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool {
        state.withLock { $0.response?.bytes.append(contentsOf: body) }
        return true
    }

    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>) {
        state.withLock { state in
            if case .failure(let error) = result { state.failure = state.failure ?? error.urlError }
        }
        semaphore.signal()
    }

    func wait() throws -> RangeResponse {
        semaphore.wait()
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            guard let response = state.response else { throw URLError(.badServerResponse) }
            return response
        }
    }
}
