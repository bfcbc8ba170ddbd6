import Foundation
import FoundationNetworking
import KingfisherTransport
import Synchronization

/// Runs the transfer of a `SessionDataTask`: passes bytes to it, asks the delegate, and ends it.
///
/// Called on the transport's thread. The transport holds it until `finished`, and it holds the downloader, so
/// a download may outlive the last external reference to its downloader.
///
/// Before it calls delegates or callbacks on that thread, it ends the round with `LoopIteration.endEarly`,
/// because they may wait for transfers that ended in the same round.
final class SessionTransfer: Sendable {
    private static let unknownBodyBytes = 1 << 20

    private let session: SessionDataTask
    private let downloader: ImageDownloader
    private let bodies: BodyStore
    private let startTime = ContinuousClock.now
    private let ticket: AdmissionTicket?
    private let queueTicket = QueueTicket()

    init(session: SessionDataTask, downloader: ImageDownloader, bodies: BodyStore) {
        self.session = session
        self.downloader = downloader
        self.bodies = bodies
        // Not the session, which holds the ticket.
        ticket = session.update { $0.callers.first?.caller.admission }?.enterTransfer(
            for: { [url = session.originalURL] in url?.redacted.absoluteString ?? "" },
            priority: session.priority)
        if let ticket { session.update { $0.hold(ticket) } }
    }

    /// - Parameter file: The file of an interrupted download of the same URL.
    func start(continuing file: BodyFile? = nil) {
        KingfisherEvents.report(.downloadStarted(url: eventURL))
        send(continuing: file)
    }

    private func send(continuing file: BodyFile?) {
        var (fetch, request) = downloader.settings.withLock { settings in
            (settings.fetch, settings.transportRequest(for: session.request))
        }
        request.priority = session.priority
        request.waitLimit = ticket?.limits.waitingTransfers
        let interrupted = file.flatMap {
            InterruptedBody($0, for: request.urlRequest, maxBodyBytes: request.limits.maxBodyBytes)
        }
        let (exchange, unused) = session.update { [sent = request.urlRequest] in
            $0.send(sent, continuing: interrupted)
        }
        unused?.close()
        request.ticket = queueTicket
        if exchange > 1 { request.limits.total? -= .now - startTime - queueTicket.waited }
        if let interrupted { request.urlRequest = interrupted.rest.added(to: request.urlRequest) }
        let hooks = FetchHooks(
            redirect: { [self] in askAboutRedirect($0, $1, to: $2, answer: $3) },
            credential: { [downloader, session] in downloader.answer($0, for: session.task, $1) })
        let task = fetch.start(request, hooks: hooks, handler: self)
        session.attach(task, exchange, startedWith: request.priority)
    }

    private func askAboutRedirect(
        _ head: TransportResponse, _ response: HTTPURLResponse, to request: URLRequest,
        answer: @escaping @Sendable (RedirectDecision) -> Void
    ) {
        KingfisherEvents.report(
            .downloadRedirected(
                url: response.url?.redacted ?? eventURL, to: request.url?.redacted ?? eventURL,
                status: response.statusCode))
        let handler = session.update { state in
            state.redirected(by: head)
            return state.callers.waiting.lazy.compactMap { $0.options.redirectHandler }.first { _ in true }
        }
        guard let handler else { return answer(.follow(request)) }
        Task { [session] in
            let chosen = await handler.handleHTTPRedirection(
                for: session, response: response, newRequest: request)
            answer(chosen.map { .follow($0) } ?? .deliver)
        }
    }
}

extension SessionTransfer: TransportHandler {
    func transfer(_ task: any TransportTask, head received: TransportResponse) -> HeadDecision {
        guard let (response, continued) = settle(received) else { return .cancel }
        let (delegate, most, mostInMemory) = downloader.settings.withLock {
            ($0.delegate, $0.maxBodyBytes, $0.maxBodyBytesInMemory)
        }
        if delegate?.value != nil { LoopIteration.endEarly() }
        let isConfirmation = session.key.condition != nil && response.status == 304
        let isValid =
            isConfirmation
            || delegate?.value?.isValidStatusCode(response.status, for: downloader)
                ?? (200..<400).contains(response.status)
        guard isValid else {
            let reason = response.httpURLResponse.map {
                KingfisherError.ResponseErrorReason.invalidHTTPStatusCode(response: $0)
            }
            let verdict = KingfisherError.responseError(reason: reason ?? .noURLResponse(task: session))
            session.update { $0.refuse(response, verdict) }
            return .cancel
        }
        // A 304 announces the length of a body that it does not send.
        let limit = isConfirmation ? 0 : most
        let memory = prepareBody(of: response, upTo: limit, inMemory: mostInMemory, after: continued)
        // A hold for this function, so that ending another hold does not resume a transfer that has not
        // paused.
        hold()
        if let refusal = admit(memory, task) {
            session.update { $0.refuse(refusal) }
            return .cancel
        }
        // A 304 has no body for the delegate to refuse.
        if !isConfirmation, let delegate, delegate.value != nil, let httpResponse = response.httpURLResponse {
            ask(delegate, about: httpResponse, of: task)
        }
        return endHold() ? .proceed : .wait
    }

    /// Decides where the body is stored. Returns the bytes of memory for it; nil if its length is unknown.
    ///
    /// The announced length is not trusted: above the limit it must not be reserved.
    private func prepareBody(
        of response: TransportResponse, upTo limit: Int, inMemory mostInMemory: Int,
        after continued: BodyFile?
    ) -> Int? {
        let announced = response.announcedBodyBytes ?? 0
        let isPlausible = announced > 0 && announced <= limit
        let usesFile = continued != nil || isPlausible && announced > mostInMemory
        session.update { state in
            state.receive(
                response, expected: isPlausible ? announced : nil, isContinued: continued != nil,
                usesFile: usesFile, mostInMemory: mostInMemory)
        }
        if usesFile { moveBody(to: continued ?? makeFile(for: response)) }
        guard limit > 0 else { return 0 }
        let missing = announced - (continued?.count ?? 0)
        return isPlausible ? session.update { $0.bodySize(adding: missing)?.next } : nil
    }

    /// Decides about a response to a request for the rest of an interrupted body. Returns the response as
    /// that for the whole body, and the file that it continues. Returns nil if the transfer starts over.
    private func settle(_ response: TransportResponse) -> (response: TransportResponse, continued: BodyFile?)?
    {
        // A transfer that is over has closed the file.
        guard let interrupted = session.update({ $0.takeInterrupted() }) else { return (response, nil) }
        switch interrupted.outcome(of: response) {
        case .rest(let whole):
            KingfisherEvents.report(
                .downloadResumed(url: eventURL, offset: interrupted.rest.start, total: interrupted.rest.total)
            )
            return (whole, interrupted.file)
        case .whole:
            interrupted.file.discard()
            return (response, nil)
        case .neither:
            interrupted.file.discard()
            session.update { $0.startsOver = true }
            return nil
        case .gone:
            interrupted.file.discard()
            return (response, nil)
        case .unrelated:
            interrupted.file.close()
            return (response, nil)
        }
    }

    private func makeFile(for response: TransportResponse) -> BodyFile? {
        session.update { $0.sentRequest }.flatMap { bodies.makeFile(for: response, to: $0) }
    }

    private func moveBody(to file: BodyFile?) { session.update { $0.moveBody(to: file) } }

    private func ask(
        _ delegate: WeakDelegate, about response: HTTPURLResponse, of task: any TransportTask
    ) {
        hold()
        Task { [downloader] in
            switch await delegate.value?.imageDownloader(downloader, didReceive: response) {
            case .cancel: refuse(response, task)
            default: endHold(of: task)
            }
        }
    }

    /// Reserves memory for the body, or pauses it until memory is available. Returns the error of a load that
    /// is refused.
    private func admit(_ announced: Int?, _ task: any TransportTask) -> KingfisherError? {
        guard let ticket else { return nil }
        let bytes = announced ?? min(Self.unknownBodyBytes, ticket.limits.budget)
        hold()
        let answer = ticket.receive(upTo: bytes, after: 0, held: 0, of: bytes) { [self] in endHold(of: task) }
        switch answer {
        case .reserved: endHold()
        case .waits: break
        case .refused(let error): return error
        }
        return nil
    }

    private func hold() { session.update { $0.hold() } }

    @discardableResult
    private func endHold() -> Bool { session.update { $0.endHold() } }

    private func endHold(of task: any TransportTask) {
        if endHold() { task.resume() }
    }

    private func refuse(_ response: HTTPURLResponse, _ task: any TransportTask) {
        cancel(task, because: .responseError(reason: .cancelledByDelegate(response: response)))
    }

    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool {
        typealias Before = (
            size: BodyBuffer.Size, isTooLong: Bool, mostInMemory: Int, response: TransportResponse?
        )
        let before = session.update { state -> Before? in
            state.bodySize(adding: body.count).map {
                ($0, state.isTooLong($0, adding: body.count), state.mostInMemory, state.response)
            }
        }
        guard let (size, isTooLong, mostInMemory, response) = before else { return true }
        if isTooLong {
            discardBody()
            return fail(.malformed("the body is longer than announced"), task)
        }
        if size.mayMoveToFile, size.count + body.count > mostInMemory, let response {
            moveBody(to: makeFile(for: response))
        }
        switch reserve(for: body.count, task) {
        case .reserved: break
        case .waits: return false
        case .refused(let error): return cancel(task, because: error)
        }
        switch session.didReceive(body) {
        case .received(let count, let expected, let relays, _):
            if let expected {
                for relay in relays { relay.report(received: Int64(count), total: Int64(expected)) }
            }
            return true
        // Once at most: afterwards the body is in memory.
        case .fileFailed: return transfer(task, body: body)
        case .outOfMemory: return fail(.io("there is not enough memory for the body"), task)
        }
    }

    private func reserve(for added: Int, _ task: any TransportTask) -> AdmissionTicket.Answer {
        guard let ticket else { return .reserved }
        let (size, expected) = session.update { ($0.bodySize(adding: added), $0.expected) }
        guard let size else { return .reserved }
        // Spare capacity must not exceed the budget.
        let total = min(size.next, max(size.count + added, ticket.limits.budget))
        return ticket.receive(upTo: total, after: size.count, held: size.held, of: expected) {
            task.resume()
        }
    }

    /// Removes the file of a body that must not be continued.
    private func discardBody() { session.update { $0.body.file }?.discard() }

    private func fail(_ error: TransportError, _ task: any TransportTask) -> Bool {
        let error = error.reportedError(for: session.originalURL)
        return cancel(task, because: .responseError(reason: .URLSessionError(error: error)))
    }

    @discardableResult
    private func cancel(_ task: any TransportTask, because verdict: KingfisherError) -> Bool {
        session.update { $0.refuse(verdict) }
        task.cancel()
        return true
    }

    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>) {
        if session.update({ $0.startsOver && $0.phase != .over }) { return send(continuing: nil) }
        ticket?.endTransfer()
        switch result {
        case .success(let metrics):
            guard let response = session.response else {
                return end(.failure(.responseError(reason: .noURLResponse(task: session))), nil)
            }
            // Only a response with the requested body has meaningful metrics.
            let summary =
                (200..<300).contains(response.status)
                ? NetworkMetrics(metrics, status: response.status) : nil
            if let missing = session.update(\.missingBytes) {
                discardBody()
                return end(.failure(reported(.truncated("\(missing) bytes are missing"))), summary)
            }
            guard let data = session.endBody() else {
                return end(.failure(reported(.io("the file of the body cannot be read"))), summary)
            }
            guard let data = modified(data) else {
                return end(.failure(.responseError(reason: .dataModifyingFailed(task: session))), summary)
            }
            end(.success((data, response)), summary, hadCredentials: metrics.hadCredentials)
        case .failure(let error):
            end(.failure(session.update { $0.verdict } ?? reported(error)), nil)
        }
    }

    private func reported(_ error: TransportError) -> KingfisherError {
        // It waited for memory, not for the network.
        if case .timedOut(.total) = error, let ticket, ticket.isWaiting { return ticket.overload }
        if case .queueFull(let waiting) = error, let ticket { return ticket.refusal(behind: waiting) }
        if case .throttled(let seconds) = error {
            return .resourceError(reason: .overloaded(retryAfter: seconds))
        }
        let reported = error.reportedError(for: session.originalURL)
        if case .tooSlow = error { return .resourceError(reason: .tooSlow(error: reported)) }
        return .responseError(reason: .URLSessionError(error: reported))
    }

    private func modified(_ data: Data) -> Data? {
        // A 304 has no bytes to modify.
        if session.isConfirmed { return data }
        guard let delegate = downloader.delegate else { return data }
        LoopIteration.endEarly()
        return delegate.imageDownloader(downloader, didDownload: data, with: session)
    }

    private func end(
        _ result: Result<(data: Data, response: TransportResponse), KingfisherError>,
        _ metrics: NetworkMetrics?, hadCredentials: Bool = false
    ) {
        switch result {
        case .failure(let error):
            ticket?.withdraw()
            downloader.forget(session)
            let callbacks = session.fail(metrics: metrics)
            // Every caller may have been cancelled and reported in the meantime.
            guard !callbacks.isEmpty else { return }
            KingfisherEvents.report(
                .downloadFailed(url: eventURL, error: error, duration: startTime.secondsAgo))
            report(error)
            if callbacks.contains(where: \.options.callbackQueue.isImmediate) { LoopIteration.endEarly() }
            for callback in callbacks { callback.complete(.failed(error)) }
        case .success(let (data, response)):
            let queue = session.update { $0.callers.first?.caller.options.processingQueue }
            guard session.beginDelivery(metrics: metrics) else { return downloader.forget(session) }
            KingfisherEvents.report(
                .downloadFinished(
                    url: eventURL, status: response.status, bytes: data.count,
                    duration: startTime.secondsAgo))
            report(nil)
            let (request, redirects, heldBytes) = session.update {
                ($0.sentRequest, $0.redirects, $0.body.capacity)
            }
            let arrival = ResponseArrival(
                response, to: request, through: redirects, startedAt: startTime,
                hadCredentials: hadCredentials, metrics: metrics)
            let bytes = data.residentCount
            let memory = ticket.map { InputMemory($0, holding: max(heldBytes, bytes), required: bytes) }
            session.deliver(
                ProcessingInput(
                    .data(data), memory: memory,
                    place: queue.map { .queue($0) } ?? .deliveries(downloader.deliveries),
                    observer: session), arrival)
        }
    }

    private var eventURL: URL { session.originalURL?.redacted ?? URL(filePath: "/") }

    private func report(_ error: KingfisherError?) {
        guard let url = session.originalURL, let delegate = downloader.delegate else { return }
        LoopIteration.endEarly()
        delegate.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: session.response?.httpURLResponse,
            error: error)
    }
}
