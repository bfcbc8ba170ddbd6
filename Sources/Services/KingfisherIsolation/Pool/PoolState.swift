/// Assigns processes to callers: decisions only, without processes, locks and clocks.
package struct PoolState {
    package typealias WorkerID = Int
    package typealias Ticket = Int

    /// What a caller does next.
    package enum Grant: Hashable {
        /// Use this process.
        case use(WorkerID)
        /// Start a process with this number and use it.
        case start(WorkerID)
        /// Wait until a release names the ticket.
        case wait(Ticket)
    }

    /// What follows from a release.
    package struct Release: Hashable {
        /// Whether the released process must end.
        package var ends: Bool
        /// The caller that is served now.
        package var next: (ticket: Ticket, grant: Grant)?

        package static func == (one: Release, other: Release) -> Bool {
            one.ends == other.ends && one.next?.ticket == other.next?.ticket
                && one.next?.grant == other.next?.grant
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(ends) }
    }

    private struct Worker {
        /// The files that it has had.
        var files = 0
        var file: FileIdentity?
        /// Since when it is idle; nil while it works.
        var idleSince: ContinuousClock.Instant?
    }

    private let maximumWorkers: Int
    private let maximumFiles: Int
    private let idleTime: Duration
    private var workers: [WorkerID: Worker] = [:]
    /// The files that have a decoder, and how many each.
    private var open: [FileIdentity: Int] = [:]
    private var waiting: [Ticket] = []
    private var lastNumber = 0

    package init(maximumWorkers: Int, maximumFiles: Int, idleTime: Duration) {
        self.maximumWorkers = max(1, maximumWorkers)
        self.maximumFiles = max(1, maximumFiles)
        self.idleTime = idleTime
    }

    package var workerCount: Int { workers.count }
    package var waiterCount: Int { waiting.count }

    /// Prefers the process whose arena has the file already, then the one that was used last, so that others
    /// become idle. A process whose file is open stays with its decoder while another can be used or started.
    package mutating func acquire(_ file: FileIdentity?) -> Grant {
        let idle = workers.compactMap { id, worker in
            worker.idleSince.map { (id: id, file: worker.file, since: $0) }
        }
        let (reserved, free) = (idle.filter { isOpen($0.file) }, idle.filter { !isOpen($0.file) })
        let holder = file.flatMap { file in idle.first { $0.file == file } }
        if let id = (holder ?? free.max { $0.since < $1.since })?.id { return use(id) }
        if let id = newWorker() { return .start(id) }
        if let id = reserved.min(by: { $0.since < $1.since })?.id { return use(id) }
        waiting.append(newNumber())
        return .wait(lastNumber)
    }

    private mutating func use(_ id: WorkerID) -> Grant {
        workers[id]?.idleSince = nil
        return .use(id)
    }

    private func isOpen(_ file: FileIdentity?) -> Bool { file.map { open[$0] != nil } ?? false }

    /// A file has a decoder, until `close` is called as often.
    package mutating func open(_ file: FileIdentity) { open[file, default: 0] += 1 }

    package mutating func close(_ file: FileIdentity) {
        open[file] = open[file].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// The caller no longer needs its process. `file` is what the arena has; an unusable process ends.
    package mutating func release(
        _ id: WorkerID, holding file: FileIdentity?, isUsable: Bool, at now: ContinuousClock.Instant
    ) -> Release {
        guard var worker = workers[id] else { return Release(ends: true, next: nil) }
        if file == nil || file != worker.file { worker.files += 1 }
        let stays = isUsable && worker.files < maximumFiles
        if stays {
            worker.file = file
            worker.idleSince = waiting.isEmpty ? now : nil
            workers[id] = worker
        } else {
            workers[id] = nil
        }
        guard !waiting.isEmpty else { return Release(ends: !stays, next: nil) }
        if stays { return Release(ends: false, next: (waiting.removeFirst(), .use(id))) }
        guard let id = newWorker() else { return Release(ends: true, next: nil) }
        return Release(ends: true, next: (waiting.removeFirst(), .start(id)))
    }

    /// Idle processes that end, and those that stay but must forget their file.
    package mutating func tick(
        at now: ContinuousClock.Instant, forgettingAfter delay: Duration
    ) -> (ended: [WorkerID], forgetful: [WorkerID]) {
        var (ended, forgetful): ([WorkerID], [WorkerID]) = ([], [])
        for (id, worker) in workers {
            guard let since = worker.idleSince else { continue }
            if now - since >= idleTime {
                ended.append(id)
                workers[id] = nil
            } else if worker.file != nil, !isOpen(worker.file), now - since >= delay {
                forgetful.append(id)
                workers[id]?.file = nil
            }
        }
        return (ended.sorted(), forgetful.sorted())
    }

    private mutating func newWorker() -> WorkerID? {
        guard workers.count < maximumWorkers else { return nil }
        workers[newNumber()] = Worker()
        return lastNumber
    }

    private mutating func newNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

/// A file in the memory of this process. The pool retains the `EncodedFile`, so that no other bytes can be at
/// its address.
package struct FileIdentity: Hashable, Sendable {
    private let address: UInt
    private let count: Int

    package init(address: UInt, count: Int) {
        self.address = address
        self.count = count
    }
}
