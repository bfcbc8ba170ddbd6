import CSandbox
import Dispatch
import Foundation
import Glibc
import KingfisherDigests
public import KingfisherImage
import Synchronization

/// Decoder processes that are started when first needed, reused, and ended when idle.
///
/// Safe from any thread. A call waits for a free process on the caller's thread; calls are served in order.
public final class DecoderPool: Sendable {
    /// The processes of the program, with default settings.
    public static let shared = DecoderPool()

    /// How processes are found, limited and reused.
    public let settings: DecoderSettings

    private struct State {
        var plan: PoolState
        var processes: [PoolState.WorkerID: DecoderProcess] = [:]
        var waiters: [PoolState.Ticket: Waiter] = [:]
        var isTickPlanned = false
    }

    private let state: Mutex<State>
    private let refused = Mutex(RefusedFiles())
    /// The time after which a decoder is replaced, well below the limit of the kernel.
    private static let maximumCPUTime: Duration = .seconds(40)
    private static let tickInterval: Duration = .seconds(1)

    /// Creates a pool without processes.
    public init(settings: DecoderSettings = DecoderSettings()) {
        self.settings = settings
        state = Mutex(
            State(
                plan: PoolState(
                    maximumWorkers: settings.maximumProcesses, maximumFiles: settings.maximumFiles,
                    idleTime: settings.idleTime)))
    }

    /// The path of the decoder, found as `DecoderSettings.executable` says. Throws
    /// `decoderFailed(.unavailable)`.
    public func executablePath() throws(ImageCodecError) -> String {
        do throws(MissingDecoder) {
            return try DecoderExecutable(
                setting: settings.executable,
                variable: sandbox_variable("KINGFISHER_DECODER").map { String(cString: $0) },
                folder: Self.programFolder, isExecutable: { access($0, X_OK) == 0 }
            ).path()
        } catch {
            throw .decoderFailed(.unavailable(error.reason))
        }
    }

    /// What a decoder tells about itself; starts one if none is running. Throws `decoderFailed`.
    public func facts() throws(ImageCodecError) -> DecoderFacts {
        try borrow(nil) { process throws(DecoderFault) in process.facts }
    }

    /// Ends idle processes now. Those that work end when they are idle for `DecoderSettings.idleTime`.
    public func endIdleProcesses() {
        tick(idleFor: settings.idleTime + .seconds(1))
    }

    /// The identifiers of the running processes, for reports.
    public var processIdentifiers: [Int32] {
        state.withLock { $0.processes.values.map(\.identifier) }
    }

    private static var programFolder: String {
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return (program as NSString).deletingLastPathComponent
    }
}

// MARK: Work with a file

extension DecoderPool {
    /// Runs `body` with a process whose arena has the file, and refuses a file that made a decoder fail.
    func run<Value>(
        with file: Data, _ body: (DecoderProcess) throws(DecoderFault) -> Value
    ) throws(ImageCodecError) -> Value {
        if let failure = refusal(of: file) { throw .decoderFailed(failure) }
        do throws(ImageCodecError) {
            return try borrow(file.identity) { process throws(DecoderFault) in
                try process.load(file)
                return try body(process)
            }
        } catch .decoderFailed(let failure) {
            if failure.isOfFile { refuse(file, failure) }
            throw .decoderFailed(failure)
        }
    }

    private func refusal(of file: Data) -> DecoderFailure? {
        guard refused.withLock({ $0.mayRefuse(count: file.count) }) else { return nil }
        let digest = file.withUnsafeBytes { SHA256.hexDigest(of: $0) }
        return refused.withLock { $0.failure(of: digest, at: .now) }
    }

    private func refuse(_ file: Data, _ failure: DecoderFailure) {
        let digest = file.withUnsafeBytes { SHA256.hexDigest(of: $0) }
        refused.withLock { $0.insert(digest, count: file.count, failure: failure, at: .now) }
    }

    private func borrow<Value>(
        _ file: FileIdentity?, _ body: (DecoderProcess) throws(DecoderFault) -> Value
    ) throws(ImageCodecError) -> Value {
        // A decoder may end while it is idle, for example by the kernel's OOM killer: then another one works.
        // A new process does not count as idle, so the second attempt is the last.
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

extension DecoderFailure {
    /// Whether the file is the reason, and not the system.
    fileprivate var isOfFile: Bool {
        switch self {
        case .unavailable, .notLockedDown, .memoryLimit: false
        case .crashed, .forbiddenCall, .timedOut, .violatedProtocol: true
        }
    }
}

// MARK: Leases

extension DecoderPool {
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
        let path = try executablePath()
        do throws(DecoderFault) {
            let process = try DecoderProcess(path: path, settings: settings)
            let missing = settings.requiredLockDown.subtracting(process.facts.lockDown)
            guard missing.isEmpty else {
                process.end()
                throw .failure(.notLockedDown(missing.names.joined(separator: ", ")))
            }
            return process
        } catch {
            switch error {
            case .codec(let error): throw error
            case .failure(let failure): throw .decoderFailed(failure)
            case .endedBefore: throw .decoderFailed(.crashed(signal: 0))
            }
        }
    }

    private func release(_ id: PoolState.WorkerID, _ process: DecoderProcess, isUsable: Bool) {
        let isUsable = isUsable && process.cpuTime.map { $0 < Self.maximumCPUTime } ?? false
        if isUsable { process.arena.trim() }
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
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(1)) { [weak self] in
            self?.tick(idleFor: .zero)
        }
    }

    private func tick(idleFor extra: Duration) {
        let (ended, forgotten) = state.withLock { state in
            let (ended, forgetful) = state.plan.tick(at: .now + extra, forgettingAfter: Self.tickInterval)
            let forgotten = forgetful.compactMap { id -> Data? in
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
