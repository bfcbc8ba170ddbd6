#if SharedCache
    import Synchronization

    typealias ReplyResult = Result<RESPValue, RedisError>

    /// A command on its way, and the task that waits for its reply.
    ///
    /// Completed once, by the connection. A cancelled wait ends early; the connection still reads the reply.
    final class PendingReply: Sendable {
        private struct State: Sendable {
            var continuation: UnsafeContinuation<ReplyResult, Never>?
            var result: ReplyResult?
        }

        let bytes: [UInt8]
        private let state = Mutex(State())

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        nonisolated(nonsending) func value() async throws(RedisError) -> RESPValue {
            let result = await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    let result = state.withLock { state in
                        if state.result == nil { state.continuation = continuation }
                        return state.result
                    }
                    if let result { continuation.resume(returning: result) }
                }
            } onCancel: {
                complete(.failure(.cancelled))
            }
            return try result.get()
        }

        func complete(_ result: ReplyResult) {
            let continuation = state.withLock { state in
                if state.result == nil { state.result = result }
                return state.continuation.take()
            }
            continuation?.resume(returning: result)
        }
    }
#endif
