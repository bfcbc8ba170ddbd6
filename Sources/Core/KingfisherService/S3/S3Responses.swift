import Kingfisher
import Synchronization

/// Forwards the responses of S3, except those that only the operator can act on: redirects, and statuses with
/// which S3 refuses a signature. These become failures with a cause, which their bodies name.
///
/// All others, such as 404 and 503, are decided above, where failures are remembered and stale images used.
final class S3Responses: TransportHandler {
    private static let refusals = [400, 401, 403]
    /// The first bytes of a body, in which the cause is.
    private static let mostBytes = 4_096

    private struct Refusal {
        let head: TransportResponse
        var body: [UInt8] = []
    }

    private let handler: any TransportHandler
    private let region: String
    private let now: @Sendable () -> Int
    private let refusal = Mutex<Refusal?>(nil)

    init(_ handler: any TransportHandler, region: String, now: @escaping @Sendable () -> Int) {
        self.handler = handler
        self.region = region
        self.now = now
    }

    func transfer(_ task: any TransportTask, head: TransportResponse) -> HeadDecision {
        let isRedirect = (300..<400).contains(head.status) && head.status != 304
        guard isRedirect || Self.refusals.contains(head.status) else {
            return handler.transfer(task, head: head)
        }
        refusal.withLock { $0 = Refusal(head: head) }
        return .proceed
    }

    func transfer(_ task: any TransportTask, body: UnsafeRawBufferPointer) -> Bool {
        let count = refusal.withLock { refusal -> Int? in
            let missing = Self.mostBytes - (refusal?.body.count ?? 0)
            refusal?.body.append(contentsOf: body.prefix(missing))
            return refusal?.body.count
        }
        guard let count else { return handler.transfer(task, body: body) }
        if count >= Self.mostBytes { task.cancel() }
        return true
    }

    func transfer(_ task: any TransportTask, finished result: Result<TransportMetrics, TransportError>) {
        let failure = refusal.withLock { $0 }.map(failure)
        handler.transfer(
            task, finished: failure.map { .failure(.foreign(ForeignError($0))) } ?? result)
    }

    private func failure(_ refusal: Refusal) -> ServiceFailure {
        let error = S3Failure.error(
            status: refusal.head.status, header: { refusal.head.value(forField: $0) },
            body: String(decoding: refusal.body, as: UTF8.self), region: region, now: now())
        return ServiceFailure(error, named: .sourceStatus)
    }
}
