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
        var isSuspended = false
        var isWoken = false
        var isClosed = false

        /// Whether the caller must wake the loop, after it has released the lock: the loop would wait for it.
        mutating func needsWakeUp() -> Bool {
            defer { isWoken = true }
            return !isWoken
        }
    }

    /// For the loop and its transfers.
    let loop = LoopContext()
    private let state = Mutex(State())
    /// Locked during a wake-up, so that the multi handle cannot be freed concurrently.
    private let multi = Mutex<CurlMulti?>(nil)

    private func wakeLoop() { multi.withLock { $0?.wakeUp() } }

    @discardableResult
    func post(_ command: Command) -> Bool {
        let (isOpen, isAsleep) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.commands.append(command)
            return (true, state.needsWakeUp())
        }
        if isAsleep { wakeLoop() }
        return isOpen
    }

    /// Whether all transfers are suspended. Not a command: only the last change counts.
    var isSuspended: Bool {
        get { state.withLock(\.isSuspended) }
        set {
            let isAsleep = state.withLock { state in
                state.isSuspended = newValue
                return state.needsWakeUp()
            }
            if isAsleep { wakeLoop() }
        }
    }

    /// Lets later commands wake the loop. Called by the loop before it first takes commands.
    func open(_ multi: CurlMulti) {
        self.multi.withLock { $0 = multi }
    }

    func takeAll() -> (commands: [Command], isSuspended: Bool) {
        state.withLock { state in
            state.isWoken = false
            return (exchange(&state.commands, with: []), state.isSuspended)
        }
    }

    func close() -> [Command] {
        multi.withLock { $0 = nil }
        return state.withLock { state in
            state.isClosed = true
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
