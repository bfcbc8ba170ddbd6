import Foundation
import FoundationNetworking
import KingfisherTransport
import Synchronization

/// Runs the transfer of a `SessionDataTask`: passes bytes to it, asks the delegate, and ends it.
///
/// Called on the transport's thread. The transport holds it until `finished`, and it holds the downloader, so
/// a download may outlive the last external reference to its downloader.
///
/// Before it calls delegates or callbacks on that thread, it ends the round with `LoopRound.endEarly`,
/// because they may wait for transfers that ended in the same round.
final class SessionTransfer: Sendable {
    private struct State: Sendable {
        var expected: Int?
        /// The reason why this type cancelled the transfer; the transport reports only a cancellation.
        var verdict: KingfisherError?
        var request: URLRequest?
        var redirects: [TransportResponse] = []
        var holdCount = 0
    }

    private static let unknownBodyBytes = 1 << 20

    private let session: SessionDataTask
    private let downloader: ImageDownloader
    private let startTime = ContinuousClock.now
    private let state: Mutex<State>
    private let ticket: AdmissionTicket?

    init(session: SessionDataTask, downloader: ImageDownloader) {
        self.session = session
        self.downloader = downloader
        do throws(KingfisherError) {
            ticket = try session.leader?.admission?.enter(
                for: session.originalURL?.withoutUserInfo.absoluteString ?? "", priority: session.priority)
            state = Mutex(State())
        } catch {
            ticket = nil
            state = Mutex(State(verdict: error))
        }
        if let ticket { session.hold(ticket) }
    }

    func start() {
        if let refusal = state.withLock(\.verdict) { return end(.failure(refusal), nil) }
        var (transport, request, configuration) = downloader.settings.withLock { settings in
            (settings.transport, settings.transportRequest(for: session.request), settings.configuration)
        }
        request.priority = session.priority
        state.withLock { [sent = request.urlRequest] in $0.request = sent }
        KingfisherEvents.report(.downloadStarted(url: eventURL))
        let hooks = FetchHooks(
            redirect: { [self] in askAboutRedirect($0, $1, to: $2, answer: $3) },
            credential: { [downloader, session] in downloader.answer($0, for: session.task, $1) })
        let task = HTTPFetch(
            transport, credentials: downloader.credentials, cookies: CookieJar(configuration.value)
        ).start(request, hooks: hooks, handler: self)
        session.attach(task, startedWith: request.priority)
    }

    private func askAboutRedirect(
        _ head: TransportResponse, _ response: HTTPURLResponse, to request: URLRequest,
        answer: @escaping @Sendable (RedirectDecision) -> Void
    ) {
        KingfisherEvents.report(
            .downloadRedirected(
                url: response.url ?? eventURL, to: request.url ?? eventURL, status: response.statusCode))
        state.withLock { $0.redirects.append(head) }
        guard let handler = session.redirectHandler else { return answer(.follow(request)) }
        Task { [session] in
            let chosen = await handler.handleHTTPRedirection(
                for: session, response: response, newRequest: request)
            answer(chosen.map { .follow($0) } ?? .deliver)
        }
    }
}

extension SessionTransfer: TransportHandler {
    func transfer(_ task: any TransportTask, head response: TransportResponse) -> HeadDecision {
        let (delegate, maxBodyBytes) = downloader.settings.withLock { ($0.delegate, $0.maxBodyBytes) }
        if delegate.value != nil { LoopRound.endEarly() }
        let isConfirmation = session.key.condition != nil && response.status == 304
        let isValid =
            isConfirmation
            || delegate.value?.isValidStatusCode(response.status, for: downloader)
                ?? (200..<400).contains(response.status)
        let announced = response.announcedBodyBytes ?? 0
        // The announced length is not trusted: above the limit it must not be reserved. A 304 announces the
        // length of a body that it does not send.
        let isPlausible = announced > 0 && announced <= maxBodyBytes && !isConfirmation
        session.didReceive(
            response, reserving: isValid && isPlausible ? announced : 0)
        guard isValid else {
            let reason = response.httpURLResponse.map {
                KingfisherError.ResponseErrorReason.invalidHTTPStatusCode(response: $0)
            }
            state.withLock { $0.verdict = .responseError(reason: reason ?? .noURLResponse(task: session)) }
            return .cancel
        }
        if isPlausible { state.withLock { $0.expected = announced } }
        // A hold for this function, so that ending another hold does not resume a transfer that has not
        // paused.
        hold()
        if let refusal = admit(isConfirmation ? 0 : isPlausible ? announced : nil, task) {
            state.withLock { $0.verdict = refusal }
            return .cancel
        }
        // A 304 has no body for the delegate to refuse.
        if !isConfirmation, let delegate = delegate.value, let httpResponse = response.httpURLResponse {
            ask(delegate, about: httpResponse, of: task)
        }
        return endHold() ? .proceed : .wait
    }

    private func ask(
        _ delegate: any ImageDownloaderDelegate, about response: HTTPURLResponse, of task: any TransportTask
    ) {
        hold()
        nonisolated(unsafe) let asked = delegate  // callable from any thread, as its protocol demands
        Task { [downloader] in
            switch await asked.imageDownloader(downloader, didReceive: response) {
            case .cancel: refuse(response, task)
            default: endHold(of: task)
            }
        }
    }

    /// Reserves memory for the body, or pauses it until memory is available. Returns the error of a body that
    /// exceeds the budget.
    private func admit(_ announced: Int?, _ task: any TransportTask) -> KingfisherError? {
        guard let ticket else { return nil }
        let bytes = announced ?? min(Self.unknownBodyBytes, ticket.budget)
        hold()
        let answer = ticket.receive(upTo: bytes, after: 0, held: 0, of: bytes) { [self] in endHold(of: task) }
        switch answer {
        case .reserved: endHold()
        case .waits: break
        case .exceedsBudget: return ticket.excess(bytes)
        }
        return nil
    }

    private func hold() {
        state.withLock { $0.holdCount += 1 }
    }

    @discardableResult
    private func endHold() -> Bool {
        state.withLock { state in
            state.holdCount -= 1
            return state.holdCount == 0
        }
    }

    private func endHold(of task: any TransportTask) {
        if endHold() { task.resume() }
    }

    private func refuse(_ response: HTTPURLResponse, _ task: any TransportTask) {
        state.withLock { $0.verdict = .responseError(reason: .cancelledByDelegate(response: response)) }
        task.cancel()
    }

    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool {
        let expected = state.withLock(\.expected)
        if let ticket {
            let size = session.bodySize(adding: body.count, expected: expected)
            // Spare capacity must not exceed the budget.
            let total = min(size.next, max(size.count + body.count, ticket.budget))
            let answer = ticket.receive(
                upTo: total, after: size.count, held: size.held, of: expected
            ) { task.resume() }
            switch answer {
            case .reserved: break
            case .waits: return false
            case .exceedsBudget:
                state.withLock { $0.verdict = ticket.excess(total) }
                task.cancel()
                return true
            }
        }
        guard let (count, relays) = session.didReceive(body, expected: expected) else {
            let error = TransportError.io("there is not enough memory for the body").reportedError(
                for: session.originalURL)
            state.withLock { $0.verdict = .responseError(reason: .URLSessionError(error: error)) }
            task.cancel()
            return true
        }
        if !relays.isEmpty, let expected {
            for relay in relays { relay.report(received: Int64(count), total: Int64(expected)) }
        }
        return true
    }

    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>) {
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
            guard let data = modifiedData() else {
                return end(.failure(.responseError(reason: .dataModifyingFailed(task: session))), summary)
            }
            end(.success((data, response)), summary)
        case .failure(let error):
            end(.failure(state.withLock(\.verdict) ?? reported(error)), nil)
        }
    }

    private func reported(_ error: TransportError) -> KingfisherError {
        // It waited for memory, not for the network.
        if case .timedOut(.total) = error, let ticket, ticket.isWaiting { return ticket.overload }
        if case .throttled(let seconds) = error {
            return .resourceError(reason: .overloaded(retryAfter: seconds))
        }
        let reported = error.reportedError(for: session.originalURL)
        if case .tooSlow = error { return .resourceError(reason: .tooSlow(error: reported)) }
        return .responseError(reason: .URLSessionError(error: reported))
    }

    private func modifiedData() -> Data? {
        let data = session.endBody()
        // A 304 has no bytes to modify.
        if session.isConfirmed { return data }
        guard let delegate = downloader.delegate else { return data }
        LoopRound.endEarly()
        return delegate.imageDownloader(downloader, didDownload: data, with: session)
    }

    private func end(
        _ result: Result<(data: Data, response: TransportResponse), KingfisherError>,
        _ metrics: NetworkMetrics?
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
            if callbacks.contains(where: \.options.callbackQueue.isImmediate) { LoopRound.endEarly() }
            for callback in callbacks { callback.complete(.failure(error)) }
        case .success(let (data, response)):
            let queue = session.leader?.options.processingQueue
            guard session.beginDelivery(metrics: metrics) else { return downloader.forget(session) }
            KingfisherEvents.report(
                .downloadFinished(
                    url: eventURL, status: response.status, bytes: data.count,
                    duration: startTime.secondsAgo))
            report(nil)
            let (request, redirects) = state.withLock { ($0.request, $0.redirects) }
            let arrival = ResponseArrival(
                response, to: request, through: redirects, startedAt: startTime)
            let delivery = DownloadDelivery(
                downloader: downloader, session: session, data: data, heldBytes: session.heldBytes,
                arrival: arrival, metrics: metrics, ticket: ticket, queue: queue)
            delivery.enqueue()
        }
    }

    private var eventURL: URL { session.originalURL?.withoutUserInfo ?? URL(filePath: "/") }

    private func report(_ error: KingfisherError?) {
        guard let url = session.originalURL, let delegate = downloader.delegate else { return }
        LoopRound.endEarly()
        delegate.imageDownloader(
            downloader, didFinishDownloadingImageForURL: url, with: session.response?.httpURLResponse,
            error: error)
    }
}

extension NetworkMetrics {
    init(_ metrics: TransportMetrics, status: Int) {
        retrieveImageDuration = nil
        totalRequestDuration = metrics.total
        domainLookupDuration = metrics.dns > 0 ? metrics.dns : nil
        connectDuration = metrics.reusedConnection ? nil : metrics.connect
        secureConnectionDuration = metrics.tls > 0 ? metrics.tls : nil
        requestBodyBytesSent = metrics.bytesSent
        responseBodyBytesReceived = metrics.bytesReceived
        httpStatusCode = status
        redirectCount = metrics.redirectCount
    }

    init(_ metrics: NetworkMetrics, retrieveImageDuration: TimeInterval) {
        self.retrieveImageDuration = retrieveImageDuration
        totalRequestDuration = metrics.totalRequestDuration
        domainLookupDuration = metrics.domainLookupDuration
        connectDuration = metrics.connectDuration
        secureConnectionDuration = metrics.secureConnectionDuration
        requestBodyBytesSent = metrics.requestBodyBytesSent
        responseBodyBytesReceived = metrics.responseBodyBytesReceived
        httpStatusCode = metrics.httpStatusCode
        redirectCount = metrics.redirectCount
    }
}
