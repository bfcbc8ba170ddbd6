import Foundation
import Kingfisher
import KingfisherSharedCache
import Synchronization

/// One machine: its memory and disk by size, its work in progress, and its tiers, which are the library's.
/// Safe from any thread.
final class Machine: Sendable {
    private struct File: Sendable {
        let file: ModelledFile
        let expiration: Date
    }

    private struct State: Sendable {
        var memory: BoundedStore<Int, File>
        var disk: BoundedStore<Int, File>
        var failures: [Int: Date] = [:]
        /// The beginnings of requests that wait for the first one of their image.
        var loading: [Int: [Double]] = [:]
        /// When each core is free, in nanoseconds.
        var cores: [Int64]
        var generation = 0
    }

    let network: MachineNetwork
    private let fleet: Fleet
    private let random: SimulatedRandom
    private let tiers: TierStack?
    private let state: Mutex<State>

    init(_ number: Int, _ fleet: Fleet) {
        self.fleet = fleet
        let settings = fleet.settings
        network = MachineNetwork(bandwidth: settings.cluster.machineBandwidth)
        random = SimulatedRandom(seed: settings.seed &* 1_000_003 &+ UInt64(number))
        state = Mutex(Self.empty(settings, generation: 0))
        guard settings.isShared else {
            tiers = nil
            return
        }
        let environment = fleet.time.environment(random)
        var options = settings.tier
        options.name = fleet.tierName
        options.maximumBytes /= ModelledFile.scale
        let client = SimulatedClient(fleet.cluster, network, fleet.time, random)
        let tier = RedisTier(client: client, options: options, environment: environment)
        tiers = TierStack([tier], environment: environment)
    }

    private static func empty(_ settings: FleetSettings, generation: Int) -> State {
        State(
            memory: BoundedStore(limit: settings.memory, policy: .sizeAware),
            disk: BoundedStore(limit: settings.disk, policy: .leastRecentlyUsed),
            cores: Array(repeating: 0, count: settings.cores), generation: generation)
    }

    var isUp: Bool { network.isUp }

    func lose() { network.isUp = false }

    /// An empty machine takes the place of a lost one.
    func replace() {
        let waiting = state.withLock { state in
            defer { state = Self.empty(fleet.settings, generation: state.generation + 1) }
            return state.loading.values.flatMap(\.self)
        }
        for began in waiting { fleet.tally.end(.lost, began) }
        network.isUp = true
    }

    func invalidate(tag: String) {
        fleet.time.start { [self] in
            guard let tier = tiers?.tiers.first as? RedisTier else { return }
            try? await tier.invalidate(tag: tag)
        }
    }
}

// MARK: Requests

extension Machine {
    /// What the machine does at once; the rest is a task.
    private enum Lookup {
        case found(Outcome)
        case waits
        case load(generation: Int)
    }

    func request(_ image: Int) {
        let began = fleet.time.seconds
        fleet.tally.count(at: began) { $0.requests += 1 }
        switch lookUp(image, began) {
        case .found(let outcome): fleet.tally.end(outcome, began)
        case .waits: break
        case .load(let generation):
            fleet.time.start { [self] in await load(image, began, generation) }
        }
    }

    private func lookUp(_ image: Int, _ began: Double) -> Lookup {
        let now = fleet.time.date
        return state.withLock { state in
            if let file = state.memory.value(image), file.expiration > now { return .found(.memory) }
            if let file = state.disk.value(image), file.expiration > now {
                state.memory.store(file, cost: file.file.size, for: image, hash: Self.hash(image))
                return .found(.disk)
            }
            if let expiration = state.failures[image], expiration > now { return .found(.knownFailure) }
            guard state.loading[image] == nil else {
                state.loading[image]?.append(began)
                return .waits
            }
            state.loading[image] = []
            return .load(generation: state.generation)
        }
    }

    private static func hash(_ image: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: UInt64(image + 1) &* 0x9E37_79B9_7F4A_7C15 >> 29)
    }

    private func load(_ image: Int, _ began: Double, _ generation: Int) async {
        let key = fleet.catalogue.key(image)
        let reading = await tiers?.read(key, by: fleet.time)
        let waited = fleet.time.seconds - began
        fleet.tally.count(at: began) { $0.slowestRead = max($0.slowestRead, waited) }
        switch reading {
        case .hit(let entry)?:
            keep(entry, image)
            end(.shared, image, began, generation)
        case .stale(let entry, let leases)?:
            check(entry, image)
            end(.stale, image, began, generation)
            if !leases.isEmpty { await build(image, leases, isRenewal: true) }
        case .negative(let failure)?:
            state.withLock { $0.failures[image] = failure.expiration }
            end(.knownFailure, image, began, generation)
        case .absent(let leases)?:
            let isBuilt = await build(image, leases, isRenewal: false)
            end(isBuilt ? .built : .failed, image, began, generation)
        case nil:
            let isBuilt = await build(image, nil, isRenewal: false)
            end(isBuilt ? .built : .failed, image, began, generation)
        }
    }

    private func end(_ outcome: Outcome, _ image: Int, _ began: Double, _ generation: Int) {
        let (waiting, isLost) = state.withLock { state in
            guard generation == state.generation else { return ([Double](), true) }
            return (state.loading.removeValue(forKey: image) ?? [], !network.isUp)
        }
        fleet.tally.end(isLost ? .lost : outcome, began)
        let isFailure = outcome == .failed || outcome == .knownFailure
        for other in waiting {
            fleet.tally.end(isLost ? .lost : isFailure ? .knownFailure : .joined, other)
        }
    }
}

// MARK: Building

extension Machine {
    /// Loads an image from the origin, makes it and stores it; false if there is none.
    @discardableResult
    private func build(_ image: Int, _ leases: TierLeases?, isRenewal: Bool) async -> Bool {
        let latency = fleet.settings.originLatency
        await sleep(latency + random.exponential(mean: latency))
        guard isUp else { return false }
        fleet.tally.fetched()
        if fleet.catalogue.isMissing(image) {
            note(image, leases)
            return false
        }
        let version = fleet.version
        await fleet.time.sleep(until: takeCore())
        guard isUp else { return false }
        fleet.tally.built(image, isRenewal: isRenewal)
        let now = fleet.time.date
        let file = ModelledFile(image: image, version: version, size: fleet.catalogue.size(image))
        let lifetime = fleet.settings.lifetime
        let entry = TierEntry(
            data: file.data, mediaType: "image/jpeg", created: now,
            expiration: lifetime > 0 ? now + lifetime : .distantFuture, tags: fleet.settings.tags)
        store(file, until: entry.expiration)
        tiers?.write(entry, for: fleet.catalogue.key(image), leases: leases)
        return true
    }

    private func sleep(_ seconds: Double) async {
        await fleet.time.sleep(until: fleet.time.nanoseconds + Int64(seconds * 1e9))
    }

    /// Takes the core that is free first, and returns when it has made the image.
    private func takeCore() -> Int64 {
        let now = fleet.time.nanoseconds
        return state.withLock { state in
            let core = state.cores.indices.min { state.cores[$0] < state.cores[$1] } ?? 0
            state.cores[core] = max(now, state.cores[core]) + Int64(fleet.settings.buildTime * 1e9)
            return state.cores[core]
        }
    }

    private func note(_ image: Int, _ leases: TierLeases?) {
        guard fleet.settings.negativeLifetime > 0 else { return }
        let expiration = fleet.time.date + fleet.settings.negativeLifetime * (0.8 + 0.4 * random.unit())
        state.withLock { $0.failures[image] = expiration }
        tiers?.write(
            TierFailure(statusCode: 404, expiration: expiration), for: fleet.catalogue.key(image),
            leases: leases)
    }

    private func keep(_ entry: TierEntry, _ image: Int) {
        guard let file = check(entry, image) else { return }
        store(file, until: entry.expiration)
    }

    private func store(_ file: ModelledFile, until expiration: Date) {
        let stored = File(file: file, expiration: expiration)
        state.withLock { state in
            state.disk.store(stored, cost: file.size, for: file.image)
            state.memory.store(stored, cost: file.size, for: file.image, hash: Self.hash(file.image))
        }
    }

    @discardableResult
    private func check(_ entry: TierEntry, _ image: Int) -> ModelledFile? {
        let file = fleet.catalogue.file(entry.data, of: image)
        if file == nil { fleet.tally.count(at: fleet.time.seconds) { $0.wrongImages += 1 } }
        if let file, file.version < fleet.version { fleet.tally.outdated() }
        return file
    }
}
