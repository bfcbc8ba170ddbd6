import KingfisherService
import NIOCore
import Synchronization

/// Work for a response that ends when the client leaves, and after a time.
///
/// The connection stays open: the next request of the client may follow.
struct BoundedWork: Sendable {
    let connection: Connection?
    let eventLoop: any EventLoop
    let limit: TimeAmount

    /// Throws `ServiceFailure` of the kind `requestTimeout` or `clientLeft` if the work was cancelled for
    /// that reason; it has ended by then.
    func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let reason = Mutex<ServiceFailureKind?>(nil)
        let task = Task { try await work() }
        let cancel: @Sendable (ServiceFailureKind) -> Void = { kind in
            reason.withLock { $0 = $0 ?? kind }
            task.cancel()
        }
        let timeout = eventLoop.scheduleTask(in: limit) { cancel(.requestTimeout) }
        connection?.whenClientLeaves { cancel(.clientLeft) }
        defer {
            timeout.cancel()
            connection?.whenClientLeaves(nil)
        }
        do {
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        } catch {
            throw reason.withLock { $0 }.map { ServiceFailure($0) } ?? error
        }
    }
}
