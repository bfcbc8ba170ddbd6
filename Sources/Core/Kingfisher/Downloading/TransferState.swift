import Foundation
import FoundationNetworking
import KingfisherStorage
import KingfisherTransport

/// The state of one transfer and its callers.
///
/// Each event is a method, or sets a property. The method changes the state and returns what is to be done
/// next. The state calls no transport, delegate or caller, and is used under the lock of a `SessionRecord`.
struct TransferState: Sendable {
    typealias Token = SessionDataTask.CancelToken
    typealias Callback = SessionDataTask.Callback
    typealias Observers = [Token: any DownloadObserver]

    enum Phase: Sendable {
        case waiting, running
        /// The body is complete, and callers make their images of it.
        case delivering
        case over
    }

    /// The bytes of a complete body, which callers get.
    struct Delivery: Sendable {
        let input: ProcessingInput
        let arrival: ResponseArrival
    }

    /// The references that a transfer releases at its end, after the lock, because each may be the last one.
    struct Ending: Sendable {
        var transfer: (any TransportTask)?
        var downloader: ImageDownloader?
        var ticket: AdmissionTicket?
        var delivery: Delivery?
        var sent: (request: URLRequest?, redirects: [TransportResponse]) = (nil, [])
        var verdict: KingfisherError?
        /// Of an incomplete body, and of the one that it was to continue.
        var files: [BodyFile] = []

        func closeFiles() { for file in files { file.close() } }
    }

    private(set) var phase = Phase.waiting

    // The callers
    private(set) var callers = CallerList<Callback>()
    private(set) var observers: Observers = [:]
    private var lastServed: Token = 0
    /// Set after an image could not be made: later callers, which may be retries, need a new transfer.
    var hasProcessingFailure = false
    /// Notified of cancelled callers; nil after the end, so that a stored task does not keep its downloader
    /// alive.
    private(set) var downloader: ImageDownloader?

    // Their priority
    private(set) var priority: Float
    /// Whether a program has set the priority, so that the callers no longer change it.
    private var isPriorityFixed = false
    /// The priority of the first caller, also for the others.
    private let firstPriority: Float
    /// The callers' priorities that were changed after that.
    private var changedPriorities: [Token: Float] = [:]

    // What is sent
    private(set) var sentRequest: URLRequest?
    private(set) var redirects: [TransportResponse] = []
    private(set) var transfer: (any TransportTask)?
    /// The number of requests that were sent: two if the transfer has started over.
    private var exchanges = 0
    /// The number of the request that `transfer` sends.
    private var attached = 0
    /// The body that the request continues, until the server has answered.
    private var interrupted: InterruptedBody?
    /// The server has refused the range, so the request is repeated without it.
    var startsOver = false
    private(set) var ticket: AdmissionTicket?

    // What arrives
    private(set) var response: TransportResponse?
    private(set) var body = BodyBuffer()
    /// The announced bytes of the body; nil if they are not known or exceed the limit.
    private(set) var expected: Int?
    /// Whether the body continues the body of an earlier transfer. Its length must then be checked here.
    private(set) var isContinued = false
    /// The size in bytes above which the body is stored in a file.
    private(set) var mostInMemory = Int.max
    private var holds = 0
    /// The reason why the transfer was cancelled here; the transport reports only a cancellation.
    private(set) var verdict: KingfisherError?
    private(set) var metrics: NetworkMetrics?
    /// While the phase is `delivering`.
    private(set) var delivery: Delivery?

    init(priority: Float, downloader: ImageDownloader?) {
        (self.priority, firstPriority) = (priority, priority)
        self.downloader = downloader
    }

    // MARK: Callers

    /// Adds a caller. Returns nil if it needs a new transfer; see `SessionDataTask.add`.
    mutating func add(_ callback: Callback, acceptsFinished: Bool) -> Token? {
        switch phase {
        case .waiting, .running: break
        case .delivering where acceptsFinished && !hasProcessingFailure: break
        case .delivering, .over: return nil
        }
        let token = callers.add(callback)
        if phase != .delivering, let observer = callback.observer { observers[token] = observer }
        return token
    }

    struct Cancellation: Sendable {
        let callback: Callback
        let observer: (any DownloadObserver)?
        let downloader: ImageDownloader?
        /// Nil if others remain.
        let ending: Ending?
    }

    /// Removes a caller, and ends the transfer after the last one. Returns nil if the caller has gone.
    mutating func cancel(_ token: Token) -> Cancellation? {
        let observer = observers.removeValue(forKey: token)
        guard let callback = callers.remove(token) else { return nil }
        let downloader = downloader
        return Cancellation(
            callback: callback, observer: observer, downloader: downloader,
            ending: callers.isEmpty ? end() : nil)
    }

    /// Removes a caller that has used the bytes, and ends the transfer after the last one. Returns no caller
    /// if it was cancelled in the meantime.
    mutating func leave(_ token: Token) -> (caller: Callback?, ending: Ending?) {
        let caller = callers.remove(token)
        let isLast = caller != nil && callers.isEmpty && phase != .over
        return (caller, isLast ? end() : nil)
    }

    /// The next caller that has not got the bytes; nil if all have.
    mutating func nextToServe() -> (token: Token, caller: Callback)? {
        guard let next = callers.first(after: lastServed) else { return nil }
        lastServed = next.token
        return next
    }

    // MARK: Priority: each event returns the new one of the transfer, or nil if it does not change

    mutating func setPriority(_ priority: Float?, of token: Token) -> Float? {
        changedPriorities[token] = priority
        return followCallers()
    }

    mutating func fixPriority(at priority: Float) -> Float? {
        isPriorityFixed = true
        return change(to: priority)
    }

    mutating func followCallers() -> Float? {
        guard !isPriorityFixed else { return nil }
        // The usual case, which must not take longer with many callers.
        if changedPriorities.isEmpty { return change(to: firstPriority) }
        return callers.tokens.map { changedPriorities[$0] ?? firstPriority }.max().flatMap { change(to: $0) }
    }

    private mutating func change(to new: Float) -> Float? {
        guard new != priority else { return nil }
        priority = new
        return new
    }

    // MARK: The request

    /// Returns false if the transfer has begun or ended already.
    mutating func begin() -> Bool {
        guard phase == .waiting else { return false }
        phase = .running
        return true
    }

    mutating func hold(_ ticket: AdmissionTicket) { if phase != .over { self.ticket = ticket } }

    /// A request is sent. Returns its number, and the file of an interrupted body that must be closed,
    /// because the transfer is over.
    mutating func send(
        _ request: URLRequest, continuing interrupted: InterruptedBody?
    ) -> (exchange: Int, unused: BodyFile?) {
        exchanges += 1
        guard phase != .over else { return (exchanges, interrupted?.file) }
        (sentRequest, redirects, startsOver) = (request, [], false)
        self.interrupted = interrupted
        return (exchanges, nil)
    }

    /// The transport's task of a request. It may have ended before this call, or a later one may be attached;
    /// it is then not kept, because it holds this transfer. Returns false if it must be cancelled.
    mutating func attach(_ transfer: any TransportTask, _ exchange: Int) -> Bool {
        let isRunning = phase == .waiting || phase == .running
        if isRunning, exchange > attached { (self.transfer, attached) = (transfer, exchange) }
        return phase != .over
    }

    // MARK: The response

    /// The interrupted body, for the server's answer about it.
    mutating func takeInterrupted() -> InterruptedBody? { interrupted.take() }

    mutating func redirected(by head: TransportResponse) { if phase != .over { redirects.append(head) } }

    mutating func refuse(_ response: TransportResponse, _ verdict: KingfisherError) {
        self.response = response
        refuse(verdict)
    }

    mutating func refuse(_ verdict: KingfisherError) { if phase != .over { self.verdict = verdict } }

    /// - Parameters:
    ///   - expected: The announced bytes; nil if they are not known or exceed the limit.
    ///   - usesFile: Whether the body is moved to a file before its first bytes.
    mutating func receive(
        _ response: TransportResponse, expected: Int?, isContinued: Bool, usesFile: Bool, mostInMemory: Int
    ) {
        (self.response, self.expected) = (response, expected)
        (self.isContinued, self.mostInMemory) = (isContinued, mostInMemory)
        if let expected, !usesFile { body.reserve(expected) }
    }

    /// The transfer pauses until every hold has ended.
    mutating func hold() { holds += 1 }

    /// Returns true if this was the last hold.
    mutating func endHold() -> Bool {
        holds -= 1
        return holds == 0
    }

    // MARK: The body

    /// Nil if the transfer is over.
    func bodySize(adding added: Int) -> BodyBuffer.Size? {
        phase == .over ? nil : body.size(adding: added, expected: expected)
    }

    /// Whether the continued body would be longer than announced.
    func isTooLong(_ size: BodyBuffer.Size, adding added: Int) -> Bool {
        isContinued && size.count + added > expected ?? 0
    }

    /// The bytes that a continued body lacks at its end. The transport knows only the length of the rest.
    var missingBytes: Int? {
        guard phase != .over, isContinued, let expected, body.count < expected else { return nil }
        return expected - body.count
    }

    /// Continues the body in a file. If there is none, or if it cannot be written, the body stays in memory.
    mutating func moveBody(to file: BodyFile?) { if phase == .running { body.move(to: file) } }

    enum Receipt: Sendable {
        case received(count: Int, expected: Int?, relays: [ProgressRelay], observers: Observers)
        /// The body continues in memory, because its file cannot be written. The bytes must be passed again.
        case fileFailed
        case outOfMemory
    }

    /// Bytes of the body have arrived.
    ///
    /// - Parameters:
    ///   - file: The file of the body, if it has one.
    ///   - isWritten: Whether the file has the bytes already.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, file: BodyFile?, isWritten: Bool
    ) -> Receipt {
        guard phase != .over else {
            return .received(count: body.count, expected: nil, relays: [], observers: [:])
        }
        if isWritten {
            body.noteAppended(bytes.count)
        } else if file != nil {
            body.leaveFile()
            return .fileFailed
        } else if !body.append(bytes, expected: expected) {
            return .outOfMemory
        }
        return .received(
            count: body.count, expected: expected, relays: callers.waiting.compactMap(\.progress),
            observers: observers)
    }

    /// Ends the body, whose file has been mapped. Returns nil if the transfer is over.
    mutating func endBody(_ mapped: Data?) -> Data? {
        guard phase != .over else { return nil }
        body.end(mapped)
        return body.bytes
    }

    // MARK: The end

    /// Ends a failed transfer and returns the remaining callers in order of arrival.
    mutating func fail(
        metrics: NetworkMetrics?
    ) -> (callers: [Callback], observers: Observers, ending: Ending) {
        self.metrics = metrics
        defer { (callers, observers) = (CallerList(), [:]) }
        return (Array(callers.waiting), observers, end())
    }

    /// Ends a successful transfer. It is not wanted if no caller remains.
    mutating func beginDelivery(
        metrics: NetworkMetrics?
    ) -> (isWanted: Bool, observers: Observers, ending: Ending) {
        self.metrics = metrics
        defer { observers = [:] }
        guard !callers.isEmpty else { return (false, observers, end()) }
        phase = .delivering
        // The downloader stays set: callers that are cancelled later are reported to it.
        return (true, observers, Ending(transfer: transfer.take()))
    }

    /// Returns false if the transfer is over.
    mutating func deliver(_ delivery: Delivery) -> Bool {
        if phase != .over { self.delivery = delivery }
        return phase != .over
    }

    private mutating func end() -> Ending {
        phase = .over
        defer { redirects = [] }
        return Ending(
            transfer: transfer.take(), downloader: downloader.take(), ticket: ticket.take(),
            delivery: delivery.take(), sent: (sentRequest.take(), redirects), verdict: verdict.take(),
            files: [body.abandon(), interrupted.take()?.file].compactMap(\.self))
    }
}
