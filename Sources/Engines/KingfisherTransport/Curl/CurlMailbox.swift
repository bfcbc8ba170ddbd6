import CCurl
import Synchronization

/// Passes commands from any thread to the loop. One wake-up serves all pending commands.
final class CurlMailbox: Sendable {
    enum Command: Sendable {
        case start(CurlTransfer)
        case resolved(CurlTransfer, Result<[IPAddress], TransportError>)
        case resume(CurlTransfer)
        case cancel(CurlTransfer)
        case shutDown
    }

    private struct State {
        var commands: [Command] = []
        var multi: CurlMulti?
        var isWoken = false
        var isClosed = false
    }

    /// For the loop and its transfers.
    let loop = LoopContext()
    private let state = Mutex(State())

    @discardableResult
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.commands.append(command)
            if !state.isWoken {
                state.isWoken = true
                // Under the lock, so that the multi handle cannot be freed concurrently.
                state.multi?.wakeUp()
            }
            return true
        }
    }

    /// Lets later commands wake the loop. Called by the loop before it first takes commands.
    func open(_ multi: CurlMulti) {
        state.withLock { $0.multi = multi }
    }

    func takeAll() -> [Command] {
        state.withLock { state in
            state.isWoken = false
            return exchange(&state.commands, with: [])
        }
    }

    func close() -> [Command] {
        state.withLock { state in
            state.isClosed = true
            state.multi = nil
            return exchange(&state.commands, with: [])
        }
    }
}

/// What the transfers of a loop share. Unchecked: used only on the loop's thread, except sockets and floods.
final class LoopContext: @unchecked Sendable {
    let watch = DeadlineWatch()
    let schedule = LoopSchedule()
    let sockets: CurlSockets
    let floods: FloodWatch

    init() {
        sockets = CurlSockets()
        floods = FloodWatch(sockets)
    }
}

private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
    defer { value = new }
    return value
}
