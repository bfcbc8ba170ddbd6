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
        var isSuspended = false
        var isWoken = false
        var isClosed = false

        mutating func wakeLoop() {
            guard !isWoken else { return }
            isWoken = true
            // Under the lock, so that the multi handle cannot be freed concurrently.
            multi?.wakeUp()
        }
    }

    /// For the loop and its transfers.
    let loop = LoopContext()
    private let state = Mutex(State())

    @discardableResult
    func post(_ command: Command) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.commands.append(command)
            state.wakeLoop()
            return true
        }
    }

    /// Whether all transfers are suspended. Not a command: only the last change counts.
    var isSuspended: Bool {
        get { state.withLock(\.isSuspended) }
        set {
            state.withLock { state in
                state.isSuspended = newValue
                state.wakeLoop()
            }
        }
    }

    /// Lets later commands wake the loop. Called by the loop before it first takes commands.
    func open(_ multi: CurlMulti) {
        state.withLock { $0.multi = multi }
    }

    func takeAll() -> (commands: [Command], isSuspended: Bool) {
        state.withLock { state in
            state.isWoken = false
            return (exchange(&state.commands, with: []), state.isSuspended)
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
    @exclusivity(unchecked) var isSuspended = false
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
