import Foundation
import FoundationNetworking
import KingfisherTestSupport
import KingfisherTransport
import Synchronization
import Testing

/// A handler that records its callbacks and checks the contract of ``TransportHandler``.
final class Recorder: TransportHandler {
    struct Record {
        var head: HTTPURLResponse?
        var body = Data()
        var pieces = 0
        var result: Result<TransportMetrics, TransportError>?
        var end: ContinuousClock.Instant?
        var violations: [String] = []
        var threads: Set<String> = []
        fileprivate var isInside = false
    }

    private let record = Mutex(Record())
    private let keepsBody: Bool
    private let onHead: @Sendable (any TransportTask, TransportResponse) -> HeadDecision
    private let onBody: @Sendable (any TransportTask, Int) -> Bool

    /// - Parameter onBody: Receives the number of bytes taken before this piece.
    init(
        keepsBody: Bool = true,
        onHead: @escaping @Sendable (any TransportTask, TransportResponse) -> HeadDecision = { _, _ in
            .proceed
        },
        onBody: @escaping @Sendable (any TransportTask, Int) -> Bool = { _, _ in true }
    ) {
        self.keepsBody = keepsBody
        self.onHead = onHead
        self.onBody = onBody
    }

    var now: Record { record.withLock { $0 } }
    var isFinished: Bool { record.withLock { $0.result != nil } }
    private let taken = Atomic(0)
    var bytesTaken: Int { taken.load(ordering: .relaxed) }

    /// Waits for the result. A transfer that does not finish in time fails the test.
    func result(
        within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Result<TransportMetrics, TransportError> {
        _ = await poll(upTo: limit) { isFinished }
        let record = now
        #expect(record.violations == [], sourceLocation: sourceLocation)
        return try #require(record.result, "the transfer did not finish", sourceLocation: sourceLocation)
    }

    /// Waits for the result and returns its error.
    func error(sourceLocation: SourceLocation = #_sourceLocation) async throws -> TransportError? {
        if case .failure(let error) = try await result(sourceLocation: sourceLocation) { return error }
        return nil
    }

    func transfer(_ task: any TransportTask, head: TransportResponse) -> HeadDecision {
        enter { record in
            if record.head != nil { record.violations.append("second head") }
            record.head = head.httpURLResponse
        }
        defer { leave() }
        return onHead(task, head)
    }

    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool {
        enter { record in
            if record.head == nil { record.violations.append("body before head") }
        }
        defer { leave() }
        guard onBody(task, bytesTaken) else { return false }
        taken.add(body.count, ordering: .relaxed)
        record.withLock { record in
            record.pieces += 1
            if keepsBody { record.body.append(contentsOf: body) }
        }
        return true
    }

    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>) {
        enter { record in (record.result, record.end) = (result, .now) }
        leave()
    }

    private func enter(_ change: (inout sending Record) -> Void) {
        let thread = threadName()
        record.withLock { record in
            if record.isInside { record.violations.append("callbacks overlap") }
            if record.result != nil { record.violations.append("callback after finished") }
            record.isInside = true
            record.threads.insert(thread)
            change(&record)
        }
    }

    private func leave() { record.withLock { $0.isInside = false } }
}

/// A resolver with scripted answers.
final class StubResolver: Resolver {
    typealias Completion = @Sendable (Result<[IPAddress], TransportError>) -> Void
    private let answer: @Sendable (String) -> Result<[IPAddress], TransportError>?
    private let state = Mutex<(lookups: [String], hanging: [Completion])>(([], []))

    /// - Parameter answer: With `nil`, the lookup waits for ``releaseAll(_:)``.
    init(_ answer: @escaping @Sendable (String) -> Result<[IPAddress], TransportError>?) {
        self.answer = answer
    }

    var lookups: [String] { state.withLock { $0.lookups } }

    func releaseAll(_ result: Result<[IPAddress], TransportError>) {
        let hanging = state.withLock { state in
            defer { state.hanging = [] }
            return state.hanging
        }
        for completion in hanging { completion(result) }
    }

    func resolve(_ host: String, completion: @escaping Completion) {
        let result = answer(host)
        state.withLock { state in
            state.lookups.append(host)
            if result == nil { state.hanging.append(completion) }
        }
        if let result { completion(result) }
    }
}

let loopback = IPAddress("127.0.0.1").map { [$0] } ?? []

func request(_ url: URL, _ change: (inout TransportRequest) -> Void = { _ in }) -> TransportRequest {
    var request = TransportRequest(URLRequest(url: url))
    change(&request)
    return request
}

/// A transport that ignores proxy variables of the environment.
func curlTransport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) -> CurlTransport {
    var configuration = CurlTransport.Configuration()
    configuration.environment = [:]
    change(&configuration)
    return CurlTransport(configuration)
}

func run(
    _ request: TransportRequest, on transport: some Transport = curlTransport(),
    handler: Recorder = Recorder(),
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> Recorder {
    defer { transport.invalidate() }
    _ = transport.start(request, handler: handler)
    _ = try await handler.result(sourceLocation: sourceLocation)
    return handler
}

extension HTTPFetch {
    /// Runs a fetch to its end.
    func run(
        _ request: TransportRequest, redirect: RedirectHook? = nil, handler: Recorder = Recorder(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Recorder {
        _ = start(request, redirect: redirect, handler: handler)
        _ = try await handler.result(sourceLocation: sourceLocation)
        return handler
    }
}

/// Bytes that reveal a wrong order: a block of prime length, doubled until there are enough.
func bytes(_ count: Int) -> Data {
    var data = Data((0..<251).map { UInt8($0) })
    while data.count < count { data.append(data) }
    return data.prefix(count)
}

/// The kernel's name of this thread.
private func threadName() -> String {
    let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    return text?.trimmingCharacters(in: .newlines) ?? ""
}
