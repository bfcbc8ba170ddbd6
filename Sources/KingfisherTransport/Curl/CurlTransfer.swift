import CCurl
import Foundation
import FoundationNetworking

/// One transfer inside the loop; it never leaves the loop's thread.
///
/// It turns what libcurl reports into the handler's callbacks and keeps their rules: nothing but `finished`
/// after a cancel, nothing while the handler waits, `finished` once.
final class CurlTransfer {
    enum BodyAnswer { case taken, paused, refused }

    /// What the handler still waits for before more may be delivered.
    private enum Hold { case none, head, body }

    let task: CurlTask
    let request: TransportRequest
    let handler: any TransportHandler
    // Taken out of the request once: Foundation copies them each time.
    let url: URL?
    let method: String
    let origin: Origin?
    /// `nil` when the defaults of a handle will do.
    let tls: TLSSettings?
    /// Names to look up before libcurl can start, next one last.
    var lookups: [Endpoint] = []
    var resolveEntries: [String] = []
    var proxy: String?
    // Changed for every header line and every piece of a body. The loop's thread alone comes here, and no
    // change calls anybody, so that Swift need not watch for one inside another.
    @exclusivity(unchecked) private(set) var timeline: TransferTimeline
    var handle: CurlHandle?
    /// libcurl ended the transfer while the handler was still deciding about the head.
    var heldCode: CURLcode?
    /// Why a callback refused what it was offered; libcurl only says that it did.
    private(set) var refusal: TransportError?
    /// Why the system gave no socket for the connection.
    private(set) var socketError: CInt?
    /// The policy kept some address from being connected to; another one may still serve.
    private(set) var wasAddressRefused = false
    private(set) var decodedBytes: Int64 = 0

    private let watch: DeadlineWatch
    private let turns: LoopTurns
    private let sockets: CurlSockets
    /// Sockets made for its own connection; none where one is used again.
    private var opened: [CInt] = []
    /// The local port of its connection.
    private var port = 0
    @exclusivity(unchecked) private var share = LoopShare()
    /// Its share of a round is used up; it goes on in a later one.
    private var isResting = false
    /// Absent where the body needs none, and before its first byte.
    private var decoder: ContentDecoder?
    /// The value of `Content-Encoding`, where there is anything to undo.
    private var encoding: String?
    private var encodedBytes = 0
    @exclusivity(unchecked) private var head: ResponseHead
    private(set) var response: TransportResponse?
    private var announcedBytes: Int?
    private var hold = Hold.none
    private var uploadedBytes: Int64 = 0

    init(
        _ task: CurlTask, _ request: TransportRequest, _ handler: any TransportHandler, watch: DeadlineWatch,
        turns: LoopTurns, sockets: CurlSockets
    ) {
        self.task = task
        self.watch = watch
        self.turns = turns
        self.sockets = sockets
        self.request = request
        self.handler = handler
        url = request.urlRequest.url
        method = request.urlRequest.httpMethod ?? "GET"
        isPlainGET = method == "GET" && request.urlRequest.httpBody == nil
        origin = url.flatMap(Origin.init)
        tls = origin.flatMap { TLSSettings(request.tls, for: $0) }
        timeline = TransferTimeline(request.limits, at: .now)
        head = ResponseHead(limit: request.limits.maxHeaderBytes)
    }

    /// Whether its handle can serve the next transfer without being set up anew.
    var isPlain: Bool { isPlainGET && tls == nil }

    let isPlainGET: Bool

    /// Names are being looked up.
    func beginResolving() { watch.cover(timeline) }

    func endResolving() { advance { $0.endResolving(at: .now) } }

    /// A socket is about to be opened; `false` when it must not be.
    func beginConnecting(to address: IPAddress?) -> Bool {
        guard allows(address) else {
            wasAddressRefused = true
            return false
        }
        advance { $0.beginConnecting(at: .now) }
        return true
    }

    /// A socket was made, or refused with an `errno`.
    func opened(_ socket: CInt, error: CInt) {
        if socket < 0 { socketError = error } else { opened.append(socket) }
    }

    /// The request is about to be sent on a connection that may have been opened for another transfer;
    /// `false` when it must not be.
    func beginExchange(port: Int, with peer: () -> IPAddress?) -> Bool {
        if request.addressPolicy.isGuarded, !allows(peer()) { return refuse(addressRefusal) }
        self.port = port
        if !opened.isEmpty { sockets.note(opened, port: port) }
        advance { $0.beginExchange(at: .now) }
        return true
    }

    /// Names the host and not where it leads: strangers may be shown errors.
    var addressRefusal: TransportError { .addressRefused(host) }

    /// How errors name the server.
    var host: String { url.flatMap(Endpoint.init)?.host ?? "no host" }

    /// A connection without an IP address is nothing that a policy could allow.
    private func allows(_ address: IPAddress?) -> Bool {
        guard request.addressPolicy.isGuarded else { return true }
        return address.map(request.addressPolicy.allows) ?? false
    }

    func noteUpload() { advance { $0.noteActivity(at: .now) } }

    /// Changes the timeline in a way that may bring the deadline forward.
    private func advance(_ change: (inout TransferTimeline) -> Void) {
        change(&timeline)
        watch.cover(timeline)
    }

    /// Whether the handler has to resume it.
    var isHeld: Bool { hold != .none }

    /// Whether it has something left to deliver, though libcurl may be done.
    var isWaiting: Bool { isHeld || isResting }

    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        guard !task.isCancelled else { return refuse(.cancelled) }
        timeline.noteActivity(at: watch.roundStart)
        switch head.append(line) {
        case .incomplete: return true
        case .tooLarge: return refuse(.headerTooLarge(limit: head.limit))
        case .malformed: return refuse(.malformed("no valid status line"))
        case .switchesProtocols:
            return refuse(.malformed("the server switches to another protocol unasked (status 101)"))
        case .complete: return deliverHead()
        }
    }

    func takeBody(_ bytes: UnsafeRawBufferPointer) -> BodyAnswer {
        guard !task.isCancelled else { return refuse(.cancelled, answer: .refused) }
        timeline.noteActivity(at: watch.roundStart)
        guard hold == .none else {
            timeline.isPaused = true
            return .paused
        }
        guard !isResting, share.take(bytes.count, in: turns.round) else { return rest() }
        guard let encoding else { return deliver(bytes) }
        do throws(TransportError) {
            encodedBytes += bytes.count
            let limit = request.limits.maxBodyBytes
            guard encodedBytes <= limit else { throw .bodyTooLarge(limit: limit) }
            if decoder == nil { decoder = try ContentDecoder(encoding) }
            decoder?.append(bytes)
        } catch {
            return refuse(error, answer: .refused)
        }
        // The decoder keeps what is not delivered now.
        return deliverDecoded() == .refused ? .refused : .taken
    }

    /// Delivers what the decoder has kept, after a hold or a rest; only if all of it is taken, libcurl may go
    /// on.
    func deliverKept() -> BodyAnswer {
        isResting = false
        guard !task.isCancelled else { return refuse(.cancelled, answer: .refused) }
        return deliverDecoded()
    }

    private func deliverDecoded() -> BodyAnswer {
        guard let decoder else { return .taken }
        do throws(TransportError) {
            repeat {
                while let piece = try decoder.next() {
                    guard !task.isCancelled else { throw .cancelled }
                    guard share.take(piece.count, in: turns.round, as: LoopShare.decodedPieces) else {
                        return rest()
                    }
                    let answer = deliver(piece)
                    guard answer == .taken else { return answer }
                    decoder.take()
                }
                guard decoder.isUnfinished else { return .taken }
                guard !task.isCancelled else { throw .cancelled }
            } while share.take(
                0, in: turns.round, as: LoopShare.decodedPieces * ContentDecoder.maxInnerPieces)
            return rest()
        } catch {
            return refuse(error, answer: .refused)
        }
    }

    /// Leaves the loop to other transfers for a while.
    private func rest() -> BodyAnswer {
        if !isResting { turns.rest(self, until: watch.roundStart + share.restingTime) }
        isResting = true
        return .paused
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) -> BodyAnswer {
        let limit = request.limits.maxBodyBytes
        guard decodedBytes + Int64(bytes.count) <= limit, announcedBytes ?? 0 <= limit else {
            return refuse(.bodyTooLarge(limit: limit), answer: .refused)
        }
        guard handler.transfer(task, body: bytes) else {
            hold = .body
            timeline.isPaused = true
            return .paused
        }
        decodedBytes += Int64(bytes.count)
        return .taken
    }

    /// Ends what the handler has been waiting for.
    func release() {
        hold = .none
        advance { timeline in
            timeline.isPaused = false
            timeline.noteActivity(at: .now)
        }
    }

    /// Whether body bytes left since this was last asked: sending calls nobody, yet it is no silence.
    func hasUploaded() -> Bool {
        guard request.urlRequest.httpBody != nil, let handle else { return false }
        let sent = handle.offset(CURLINFO_SIZE_UPLOAD_T)
        defer { uploadedBytes = sent }
        return sent > uploadedBytes
    }

    /// Notes bytes that have arrived without making a header line or a piece of the body; `false` when the
    /// server was silent.
    func hasReceived(before time: ContinuousClock.Instant) -> Bool {
        // The connection may be silent for this transfer alone: other transfers share it over HTTP/2, and TLS
        // may mean HTTP/2.
        guard origin?.scheme == "http", let silence = sockets.silence(port: port),
            silence < request.limits.idle
        else { return false }
        advance { $0.noteActivity(at: time - silence) }
        return true
    }

    private func deliverHead() -> Bool {
        guard let url, let response = head.response(url: url, requestTime: timeline.requested, at: .now)
        else {
            return refuse(.malformed("no valid response head"))
        }
        self.response = response
        announcedBytes = response.announcedBodyBytes
        if announcedBytes == nil, let field = response.value(forField: "Content-Encoding"),
            ContentDecoder.isNeeded(for: field)
        {
            encoding = field
        }
        switch handler.transfer(task, head: response) {
        case .proceed: return true
        case .cancel: return refuse(.cancelled)
        case .wait:
            hold = .head
            timeline.isPaused = true
            return true
        }
    }

    private func refuse(_ error: TransportError) -> Bool { refuse(error, answer: false) }

    private func refuse<Answer>(_ error: TransportError, answer: Answer) -> Answer {
        refusal = error
        return answer
    }
}
