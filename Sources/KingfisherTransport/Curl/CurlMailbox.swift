import CCurl
import Synchronization

/// The way from any thread into the loop: commands pile up under a lock, and one wake-up serves them all.
final class CurlMailbox: Sendable {
    enum Command: Sendable {
        /// Boxed: a request is large, and passes through several hands.
        indirect case start(CurlTask, TransportRequest, any TransportHandler)
        case resolved(CurlTask, Result<[IPAddress], TransportError>)
        case resume(CurlTask)
        case cancel(CurlTask)
        case shutDown
    }

    private struct State {
        var commands: [Command] = []
        var multi: CurlMulti?
        var isWoken = false
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Leaves a command for the loop; `false` when the loop has ended and will never read it.
    @discardableResult
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.commands.append(command)
            if !state.isWoken {
                state.isWoken = true
                // Under the lock, so that the multi handle cannot be freed meanwhile.
                state.multi?.wakeUp()
            }
            return true
        }
    }

    /// Lets later commands wake the loop; called by the loop before it first looks for commands.
    func open(_ multi: CurlMulti) {
        state.withLock { $0.multi = multi }
    }

    func takeAll() -> [Command] {
        state.withLock { state in
            state.isWoken = false
            return exchange(&state.commands, with: [])
        }
    }

    /// Refuses all further commands and hands over those not yet read.
    func close() -> [Command] {
        state.withLock { state in
            state.isClosed = true
            state.multi = nil
            return exchange(&state.commands, with: [])
        }
    }
}

private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
    defer { value = new }
    return value
}
