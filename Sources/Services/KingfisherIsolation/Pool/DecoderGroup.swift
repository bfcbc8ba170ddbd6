import CSandbox
import Dispatch
import Foundation
import KingfisherImage
import Synchronization

/// The processes of a pool that may open the same files.
///
/// Safe from any thread. A call waits for a free process on the caller's thread; calls are served in order.
final class DecoderGroup: Sendable {
    private struct State {
        var plan: PoolState
        var processes: [PoolState.WorkerID: DecoderProcess] = [:]
        var waiters: [PoolState.Ticket: Waiter] = [:]
        var isTickPlanned = false
    }

    private let access: DecoderAccess
    private let settings: DecoderSettings
    private let state: Mutex<State>
    /// The time after which a decoder is replaced, well below the limit of the kernel.
    private static let maximumCPUTime: Duration = .seconds(40)
    /// How often idle processes are checked, and how long one keeps its file.
    private static let tickInterval: Duration = .seconds(1)

    init(_ access: DecoderAccess, settings: DecoderSettings) {
        self.access = access
        self.settings = settings
        state = Mutex(
            State(
                plan: PoolState(
                    maximumWorkers: settings.maximumProcesses, maximumFiles: settings.maximumFiles,
                    idleTime: settings.idleTime)))
    }

    var processIdentifiers: [Int32] {
        state.withLock { $0.processes.values.map(\.identifier) }
    }

    /// Leaves a process with this file to the file's decoder until the result is released, unless all other
    /// processes work.
    func reservation(for file: EncodedFile) -> FileReservation { FileReservation(file.identity, in: self) }

    fileprivate func open(_ file: FileIdentity) { state.withLock { $0.plan.open(file) } }

    fileprivate func close(_ file: FileIdentity) { state.withLock { $0.plan.close(file) } }

    func endIdleProcesses() {
        tick(idleFor: settings.idleTime + .seconds(1))
    }

    /// Runs `body` with a process, if possible with one whose arena has the file.
    func borrow<Value>(
        _ file: FileIdentity?, _ body: (DecoderProcess) throws(DecoderFault) -> Value
    ) throws(ImageCodecError) -> Value {
        // A decoder may end while it is idle, for example by the kernel's OOM killer: then another one is
        // used. All idle ones may have ended, so the number of attempts depends on the size of the pool.
        var attempts = 0
        while true {
            attempts += 1
            let (id, process) = try acquire(attempts == 1 ? file : nil)
            let result = Result { () throws(DecoderFault) in try body(process) }
            switch result {
            case .success(let value):
                release(id, process, isUsable: true)
                return value
            case .failure(.codec(let error)):
                release(id, process, isUsable: true)
                throw error == .outOfMemory ? .decoderFailed(.memoryLimit) : error
            case .failure(.endedBefore):
                release(id, process, isUsable: false)
                guard attempts <= settings.maximumProcesses + 1 else {
                    throw .decoderFailed(.crashed(signal: 0))
                }
            case .failure(.failure(let failure)):
                release(id, process, isUsable: false)
                throw .decoderFailed(failure)
            }
        }
    }
}

// MARK: Leases

extension DecoderGroup {
    private func acquire(
        _ file: FileIdentity?
    ) throws(ImageCodecError) -> (PoolState.WorkerID, DecoderProcess) {
        let (grant, waiter) = state.withLock { state in
            let grant = state.plan.acquire(file)
            var waiter: Waiter?
            if case .wait(let ticket) = grant {
                waiter = Waiter()
                state.waiters[ticket] = waiter
            }
            return (grant, waiter)
        }
        switch waiter?.wait() ?? grant {
        case .use(let id):
            guard let process = state.withLock({ $0.processes[id] }) else {
                preconditionFailure("a leased process is missing")
            }
            return (id, process)
        case .start(let id): return (id, try start(id))
        case .wait: preconditionFailure("a waiter was told to wait")
        }
    }

    private func start(_ id: PoolState.WorkerID) throws(ImageCodecError) -> DecoderProcess {
        do throws(ImageCodecError) {
            let process = try launch()
            state.withLock { $0.processes[id] = process }
            return process
        } catch {
            finish(id, holding: nil, isUsable: false)
            throw error
        }
    }

    private func launch() throws(ImageCodecError) -> DecoderProcess {
        let path = try DecoderExecutable.path(settings)
        do throws(DecoderFault) {
            let process = try DecoderProcess(path: path, access, settings: settings)
            let missing = settings.requiredLockDown(access).subtracting(process.report.lockDown)
            guard missing.isEmpty else {
                process.end()
                throw .failure(.notLockedDown(missing.names.joined(separator: ", ")))
            }
            return process
        } catch {
            throw error.reported
        }
    }

    private func release(_ id: PoolState.WorkerID, _ process: DecoderProcess, isUsable: Bool) {
        let isUsable = isUsable && process.cpuTime.map { $0 < Self.maximumCPUTime } ?? false
        if isUsable { process.arena.trim(keeping: process.file?.data.count ?? 0) }
        finish(id, holding: isUsable ? process.file?.identity : nil, isUsable: isUsable)
    }

    private func finish(_ id: PoolState.WorkerID, holding file: FileIdentity?, isUsable: Bool) {
        let (ended, waiter, grant) = state.withLock { state in
            let release = state.plan.release(id, holding: file, isUsable: isUsable, at: .now)
            let ended = release.ends ? state.processes.removeValue(forKey: id) : nil
            planTick(&state)
            return (
                ended, release.next.flatMap { state.waiters.removeValue(forKey: $0.ticket) },
                release.next?.grant
            )
        }
        ended?.end()
        if let waiter, let grant { waiter.open(grant) }
    }

    // MARK: Idle processes

    private func planTick(_ state: inout State) {
        guard !state.isTickPlanned, state.plan.workerCount > 0 else { return }
        state.isTickPlanned = true
        let seconds: Double = Self.tickInterval / .seconds(1)
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + seconds) { [weak self] in
            self?.tick(idleFor: .zero)
        }
    }

    private func tick(idleFor extra: Duration) {
        let (ended, forgotten) = state.withLock { state in
            let (ended, forgetful) = state.plan.tick(at: .now + extra, forgettingAfter: Self.tickInterval)
            let forgotten = forgetful.compactMap { id -> EncodedFile? in
                defer { state.processes[id]?.file = nil }
                return state.processes[id]?.file
            }
            if extra == .zero { state.isTickPlanned = false }
            planTick(&state)
            return (ended.compactMap { state.processes.removeValue(forKey: $0) }, forgotten)
        }
        ended.forEach { $0.end() }
        // Released here, outside of the lock.
        _ = forgotten
    }
}

/// An open file, for which a process is reserved.
final class FileReservation: Sendable {
    private let file: FileIdentity
    private let group: DecoderGroup

    fileprivate init(_ file: FileIdentity, in group: DecoderGroup) {
        (self.file, self.group) = (file, group)
        group.open(file)
    }

    deinit { group.close(file) }
}

/// A caller that waits for a process on its own thread: it would decode there otherwise.
private final class Waiter: Sendable {
    private let grant = Mutex<PoolState.Grant?>(nil)
    // Blocks this thread only: decoding is synchronous, here as in the program.
    private let semaphore = DispatchSemaphore(value: 0)

    func open(_ grant: PoolState.Grant) {
        self.grant.withLock { $0 = grant }
        semaphore.signal()
    }

    func wait() -> PoolState.Grant {
        semaphore.wait()
        guard let grant = grant.withLock({ $0 }) else { preconditionFailure("opened without a grant") }
        return grant
    }
}
