import CCurl
import Foundation
import FoundationNetworking
import Synchronization

/// One transfer of a loop.
///
/// It converts libcurl's callbacks to the handler's and enforces their rules: only `finished` after a cancel,
/// nothing while the handler waits, `finished` exactly once.
///
/// Unchecked: other threads use only the functions of `TransportTask`, which change nothing but `cancelled`.
/// Everything else is used on the loop's thread, or to end a transfer that no loop has taken.
final class CurlTransfer: TransportTask, @unchecked Sendable {
    enum BodyResult { case taken, paused, refused }

    private enum Hold { case none, head, body }

    private let mailbox: CurlMailbox
    private let loop: LoopContext
    private let cancelled = Atomic(false)
    /// The position in the loop's list; nil before the start and after the end.
    var place: Int?
    let request: TransportRequest
    /// Nil after the end, because the caller may retain this object.
    private var handler: (any TransportHandler)?
    // Read from the request once, because Foundation copies them on every access.
    let url: URL?
    let method: String
    let origin: Origin?
    let tls: TLSSettings?
    let isPlainGET: Bool
    /// Whether a warm handle can be used.
    let isPlain: Bool
    // Unchecked for speed: only the loop's thread accesses these, and no change calls other code.
    /// Names to resolve before libcurl starts; the next one is last.
    @exclusivity(unchecked) var lookups: [Endpoint] = []
    @exclusivity(unchecked) var resolveEntries: [String] = []
    var proxy: String?
    @exclusivity(unchecked) private(set) var timeline: TransferTimeline
    var handle: CurlHandle?
    /// libcurl's result if it ended the transfer while the handler was deciding about the head.
    var heldCode: CURLcode?
    /// The error of the callback that refused data; libcurl does not pass it on.
    private(set) var refusal: TransportError?
    private(set) var socketError: CInt?
    /// Whether the policy refused an address; another one may still be allowed.
    private(set) var wasAddressRefused = false
    private(set) var decodedBytes: Int64 = 0

    /// Sockets opened for this connection; empty if it is reused.
    @exclusivity(unchecked) private var opened: [CInt] = []
    private var port = 0
    @exclusivity(unchecked) private var share = LoopShare()
    /// Whether the share of this round is used up; the transfer continues in a later one.
    private var isResting = false
    private var decoder: ContentDecoder?
    private var encoding: String?
    private var encodedBytes = 0
    @exclusivity(unchecked) private var head: ResponseHead
    private(set) var response: TransportResponse?
    private var announcedBytes: Int?
    /// The largest size of the body; nil unless an exchange over TLS runs.
    private var expectedBytes: Int?
    private var hold = Hold.none
    private var uploadedBytes: Int64 = 0
    /// When the request was about to be sent; the last time if libcurl has repeated it on another connection.
    @exclusivity(unchecked) private var requestTime: ContinuousClock.Instant?
    private var hasStartedAgain = false
    private var requests = 0

    init(_ request: TransportRequest, _ handler: any TransportHandler, _ mailbox: CurlMailbox) {
        self.mailbox = mailbox
        loop = mailbox.loop
        self.request = request
        self.handler = handler
        url = request.urlRequest.url
        method = request.urlRequest.httpMethod ?? "GET"
        isPlainGET = method == "GET" && request.urlRequest.httpBody == nil
        origin = url.flatMap(Origin.init)
        let tls = origin.flatMap { request.tlsSettings(for: $0) }
        self.tls = tls
        isPlain = isPlainGET && tls == nil
        timeline = TransferTimeline(request.limits, at: .now)
        head = ResponseHead(limit: request.limits.maxHeaderBytes)
    }

    // MARK: For every thread

    /// The loop checks this before each callback, because a cancel takes effect before `cancel()` returns.
    var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

    func cancel() {
        guard !cancelled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        mailbox.post(.cancel(self))
    }

    func resume() { mailbox.post(.resume(self)) }

    // MARK: For the loop's thread

    /// Whether a request that failed may be sent again: once, if it has no effect on the server and no part
    /// of a response has arrived. libcurl repeats requests on a lost connection itself, but in 7.88 those
    /// fail that it sends while the server's GOAWAY arrives.
    func mayStartAgain(after code: CURLcode) -> Bool {
        guard code == CURLE_HTTP2 || code == CURLE_SEND_ERROR, isPlainGET, !hasStartedAgain, head.isEmpty,
            refusal == nil, !isCancelled
        else { return false }
        hasStartedAgain = true
        opened = []
        return true
    }

    /// Whether a request was sent once and a response to it has begun, so that libcurl has not repeated it.
    var canReuseHandle: Bool { requests == 1 && !head.isEmpty }

    func beginResolving() { loop.watch.cover(timeline) }

    func endResolving() { advance { $0.endResolving(at: loop.watch.roundStart) } }

    func beginConnecting(to address: IPAddress?) -> Bool {
        // libcurl would repeat the request.
        guard !isFlood else { return false }
        guard allows(address) else {
            wasAddressRefused = true
            return false
        }
        advance { $0.beginConnecting(at: loop.watch.roundStart) }
        return true
    }

    func opened(_ socket: CInt, error: CInt) {
        if socket < 0 { socketError = error } else { opened.append(socket) }
    }

    func beginExchange(port: Int, with peer: () -> IPAddress?) -> Bool {
        if request.addressPolicy.isGuarded, !allows(peer()) { return refuse(addressRefusal) }
        expect(nil)
        self.port = port
        if origin?.scheme == "https" { expect(min(request.limits.maxBodyBytes, FloodMeter.maxKeptBytes)) }
        if !opened.isEmpty { loop.sockets.note(opened, port: port) }
        requests += 1
        requestTime = .now
        advance { $0.beginExchange(at: loop.watch.roundStart) }
        return true
    }

    private func expect(_ size: Int?) {
        guard size != expectedBytes else { return }
        loop.sockets.expect(size, insteadOf: expectedBytes, port: port)
        expectedBytes = size
    }

    /// Whether the connection was shut down because of a flood.
    var isFlood: Bool { port != 0 && loop.sockets.isFlood(port: port) }

    /// Names the host and not its addresses, because errors may be shown to untrusted users.
    var addressRefusal: TransportError { .addressRefused(host) }

    var host: String { url.flatMap(Endpoint.init)?.host ?? "no host" }

    private func allows(_ address: IPAddress?) -> Bool {
        guard request.addressPolicy.isGuarded else { return true }
        return address.map(request.addressPolicy.allows) ?? false
    }

    func noteUpload() { advance { $0.noteActivity(at: .now) } }

    /// Changes the timeline in a way that may make the deadline earlier.
    private func advance(_ change: (inout TransferTimeline) -> Void) {
        change(&timeline)
        loop.watch.cover(timeline)
    }

    var isHeld: Bool { hold != .none }

    var isWaiting: Bool { isHeld || isResting || loop.isSuspended }

    func followSuspension() {
        advance { loop.isSuspended ? $0.suspend(at: .now) : $0.resume(at: .now) }
    }

    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !isCancelled else { return refuse(.cancelled) }
        timeline.noteActivity(at: loop.watch.roundStart)
        switch head.append(line) {
        case .incomplete: return true
        case .tooLarge: return refuse(.headerTooLarge(limit: head.limit))
        case .malformed: return refuse(.malformed("no valid status line"))
        case .switchesProtocols:
            return refuse(.malformed("the server switched protocols without a request for it (status 101)"))
        case .complete: return deliverHead()
        }
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> BodyResult {
        let result = accept(bytes)
        switch result {
        case .taken: loop.floods.noteBody(bytes.count)
        case .paused: loop.floods.notePause()
        case .refused: break
        }
        return result
    }

    private func accept(_ bytes: UnsafeRawBufferPointer) -> BodyResult {
        guard !isCancelled else { return refuse(.cancelled, returning: .refused) }
        timeline.noteActivity(at: loop.watch.roundStart)
        guard !loop.isSuspended else { return .paused }
        guard hold == .none else {
            timeline.isPaused = true
            return .paused
        }
        guard !isResting, share.take(bytes.count, in: loop.schedule.round) else { return rest() }
        guard let encoding else { return deliver(bytes) }
        do throws(TransportError) {
            encodedBytes += bytes.count
            let limit = request.limits.maxBodyBytes
            guard encodedBytes <= limit else { throw .bodyTooLarge(limit: limit) }
            if decoder == nil { decoder = try ContentDecoder(encoding) }
            decoder?.append(bytes)
        } catch {
            return refuse(error, returning: .refused)
        }
        // The decoder buffers what is not delivered now.
        return deliverDecoded() == .refused ? .refused : .taken
    }

    /// Delivers what the decoder has buffered, after a hold, a rest or a suspension. libcurl may continue
    /// only if all of it is taken.
    func deliverPending() -> BodyResult {
        isResting = false
        guard !isCancelled else { return refuse(.cancelled, returning: .refused) }
        return loop.isSuspended ? .paused : deliverDecoded()
    }

    private func deliverDecoded() -> BodyResult {
        guard let decoder else { return .taken }
        do throws(TransportError) {
            repeat {
                while let piece = try decoder.next() {
                    guard !isCancelled else { throw .cancelled }
                    guard share.take(piece.count, in: loop.schedule.round, as: LoopShare.decodedPieces) else {
                        return rest()
                    }
                    let result = deliver(piece)
                    guard result == .taken else { return result }
                    decoder.take()
                }
                guard decoder.isUnfinished else { return .taken }
                guard !isCancelled else { throw .cancelled }
            } while share.take(
                0, in: loop.schedule.round, as: LoopShare.decodedPieces * ContentDecoder.maxInnerPieces)
            return rest()
        } catch {
            return refuse(error, returning: .refused)
        }
    }

    private func rest() -> BodyResult {
        if !isResting { loop.schedule.rest(self, until: loop.watch.roundStart + share.restingTime) }
        isResting = true
        return .paused
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> BodyResult {
        let limit = request.limits.maxBodyBytes
        guard decodedBytes + Int64(bytes.count) <= limit, announcedBytes ?? 0 <= limit else {
            return refuse(.bodyTooLarge(limit: limit), returning: .refused)
        }
        guard handler?.transfer(self, body: bytes) ?? true else {
            hold = .body
            timeline.isPaused = true
            return .paused
        }
        decodedBytes += Int64(bytes.count)
        return .taken
    }

    func release() {
        hold = .none
        advance { timeline in
            timeline.isPaused = false
            timeline.noteActivity(at: .now)
        }
    }

    /// Whether body bytes were sent since the last call. Sending has no callback, but must reset the idle
    /// timeout.
    func hasUploaded() -> Bool {
        guard request.urlRequest.httpBody != nil, let handle else { return false }
        let sent = handle.offset(CURLINFO_SIZE_UPLOAD_T)
        defer { uploadedBytes = sent }
        return sent > uploadedBytes
    }

    /// Notes received bytes that did not complete a header line or a piece of the body. Returns `false` if no
    /// byte arrived within the idle timeout.
    func hasReceived(before time: MonotonicTime) -> Bool {
        // Over TLS, the connection may be HTTP/2, and the bytes may belong to other transfers.
        guard origin?.scheme == "http", let idleTime = loop.sockets.idleTime(port: port),
            idleTime < request.limits.idle
        else { return false }
        advance { $0.noteActivity(at: time - idleTime) }
        return true
    }

    private func deliverHead() -> Bool {
        guard let url, let response = head.response(url: url, requestTime: requestTime, at: .now)
        else {
            return refuse(.malformed("no valid response head"))
        }
        self.response = response
        announcedBytes = response.announcedBodyBytes
        if let announcedBytes, let expectedBytes { expect(min(announcedBytes, expectedBytes)) }
        if announcedBytes == nil, let field = response.value(forField: "Content-Encoding"),
            ContentDecoder.isNeeded(for: field)
        {
            encoding = field
        }
        switch handler?.transfer(self, head: response) ?? .cancel {
        case .proceed: return true
        case .cancel: return refuse(.cancelled)
        case .wait:
            hold = .head
            timeline.isPaused = true
            return true
        }
    }

    /// Reports the end to the handler and releases it.
    func finish(_ result: Result<TransportMetrics, TransportError>) {
        expect(nil)
        handler.take()?.transfer(self, finished: isCancelled ? .failure(.cancelled) : result)
    }

    private func refuse(_ error: TransportError) -> Bool { refuse(error, returning: false) }

    private func refuse<Value>(_ error: TransportError, returning value: Value) -> Value {
        refusal = error
        return value
    }
}
