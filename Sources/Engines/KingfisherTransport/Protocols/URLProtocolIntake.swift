import Foundation
import FoundationNetworking

/// Buffers the reports of a `URLProtocol` until the handler receives them: values in, next step out.
struct URLProtocolIntake {
    enum Step {
        case nothing
        case head(TransportResponse)
        case body(Data)
        case finish(Result<TransportMetrics, TransportError>)
    }

    private let limits: TransportLimits
    private let start: ContinuousClock.Instant
    private var lastActivity: ContinuousClock.Instant
    private var firstByte: ContinuousClock.Instant?
    private var head: TransportResponse?
    private var hasDeliveredHead = false
    private var pieces: [Data] = []
    private var nextPiece = 0
    private var received = 0
    private var end: Result<Void, TransportError>?
    private(set) var isOver = false
    private var isPaused = false
    /// When the transport was suspended; nil while it is not.
    private var suspension: ContinuousClock.Instant?
    /// The time of earlier suspensions.
    private var suspended = Duration.zero

    init(_ limits: TransportLimits, at time: ContinuousClock.Instant) {
        self.limits = limits
        (start, lastActivity) = (time, time)
    }

    // MARK: Input; ignored after the end

    mutating func take(_ response: URLResponse, at time: ContinuousClock.Instant) {
        guard end == nil, head == nil else { return }
        lastActivity = time
        if let response = response as? HTTPURLResponse {
            head = TransportResponse(response, requestTime: start, responseTime: time)
        } else {
            fail(.malformed("the response is not an HTTPURLResponse"))
        }
    }

    mutating func take(_ data: Data, at time: ContinuousClock.Instant) {
        guard end == nil, !data.isEmpty else { return }
        lastActivity = time
        if firstByte == nil { firstByte = time }
        received += data.count
        guard received <= limits.maxBodyBytes else { return fail(.bodyTooLarge(limit: limits.maxBodyBytes)) }
        pieces.append(data)
    }

    /// Records a redirect as the response that a server would send, for `RedirectRules` to decide.
    mutating func takeRedirect(to url: URL?, from response: URLResponse, at time: ContinuousClock.Instant) {
        let response = response as? HTTPURLResponse
        let isRedirect = [301, 302, 303, 307, 308].contains(response?.statusCode)
        var fields: [String: String] = [:]
        for (name, value) in response?.allHeaderFields ?? [:] { fields["\(name)"] = "\(value)" }
        fields = fields.filter { $0.key.lowercased() != "location" }
        fields["Location"] = url?.absoluteString
        guard let origin = response?.url ?? url,
            let redirect = HTTPURLResponse(
                url: origin, statusCode: isRedirect ? response?.statusCode ?? 302 : 302, httpVersion: nil,
                headerFields: fields)
        else { return fail(.malformed("a redirect without a URL")) }
        take(redirect, at: time)
        finish()
    }

    mutating func finish() {
        guard end == nil else { return }
        end = head == nil ? .failure(.malformed("no response")) : .success(())
    }

    /// Data received before an error is still delivered, unless the handler has paused the transfer.
    mutating func fail(_ error: TransportError) {
        if end == nil { end = .failure(error) }
    }

    /// Records an exceeded time limit. Unlike other errors, it also counts after the end: a handler that
    /// delays the delivery must still finish within the limit.
    mutating func timeOut(_ phase: TransportError.Phase) {
        guard !isOver else { return }
        end = .failure(.timedOut(phase))
    }

    mutating func setPaused(_ isPaused: Bool, at time: ContinuousClock.Instant) {
        self.isPaused = isPaused
        lastActivity = time
    }

    /// The time of a suspension counts for no limit.
    mutating func setSuspended(_ isSuspended: Bool, at time: ContinuousClock.Instant) {
        if isSuspended {
            suspension = suspension ?? time
        } else if let begin = suspension.take() {
            suspended += time - begin
            lastActivity += time - max(begin, lastActivity)
        }
    }

    mutating func cancel() {
        guard !isOver else { return }
        (pieces, nextPiece, head) = ([], 0, nil)
        end = .failure(.cancelled)
    }

    // MARK: Output

    /// The next step for the handler. A piece is repeated until `dropPiece()`.
    mutating func nextStep(at time: ContinuousClock.Instant) -> Step {
        if isOver { return .nothing }
        if isPaused || suspension != nil {
            guard case .failure(let error)? = end else { return .nothing }
            return over(.failure(error))
        }
        if let head, !hasDeliveredHead {
            hasDeliveredHead = true
            return .head(head)
        }
        if hasDeliveredHead, nextPiece < pieces.count { return .body(pieces[nextPiece]) }
        return switch end {
        case nil: .nothing
        case .failure(let error)?: over(.failure(error))
        case .success?: over(.success(metrics(at: time)))
        }
    }

    mutating func dropPiece() {
        nextPiece += 1
        guard nextPiece >= pieces.count else { return }
        (pieces, nextPiece) = ([], 0)
    }

    /// The next time limit to check; nil if none applies. The idle timeout does not count while the handler
    /// pauses the transfer or after the end, and no limit counts during a suspension.
    func deadline(at time: ContinuousClock.Instant)
        -> (time: ContinuousClock.Instant, phase: TransportError.Phase)?
    {
        guard !isOver else { return nil }
        if suspension != nil { return (time + limits.idle, .idle) }
        let total = limits.total.map { start + suspended + $0 }
        guard end == nil else { return total.map { ($0, .total) } }
        let idle = (isPaused ? time : lastActivity) + limits.idle
        guard let total, total < idle else { return (idle, .idle) }
        return (total, .total)
    }

    private mutating func over(
        _ result: Result<TransportMetrics, TransportError>
    ) -> Step {
        isOver = true
        return .finish(result)
    }

    private func metrics(at time: ContinuousClock.Instant) -> TransportMetrics {
        var metrics = TransportMetrics()
        metrics.total = (time - start).seconds
        metrics.firstByte = ((firstByte ?? time) - start).seconds
        metrics.bytesReceived = Int64(received)
        metrics.bytesDecoded = Int64(received)
        return metrics
    }
}
