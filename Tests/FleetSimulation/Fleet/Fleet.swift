import Kingfisher
import Foundation
import Synchronization

/// A simulation: a load balancer, machines with the library's tiers, a cluster and an origin.
///
/// Equal settings give equal results.
package final class Fleet: Sendable {
    let settings: FleetSettings
    let catalogue: Catalogue
    let time = VirtualTime()
    let tally: Tally
    let cluster: SimulatedCluster
    private let load: SimulatedRandom
    private let state: Mutex<(machines: [Machine], version: Int)>

    package init(_ settings: FleetSettings) {
        self.settings = settings
        catalogue = Catalogue(settings)
        tally = Tally(settings, time)
        cluster = SimulatedCluster(settings.cluster, time)
        load = SimulatedRandom(seed: settings.seed)
        state = Mutex(([], 0))
    }

    /// Unique in the process, because events of all tiers reach all observers.
    let tierName = "fleet \(UUID())"

    /// How often the origin has changed all images.
    var version: Int { state.withLock(\.version) }

    private var machines: [Machine] { state.withLock(\.machines) }

    /// Runs the simulation, in the time of this thread.
    package func run() -> FleetResult {
        let machines = (0..<settings.machines).map { Machine($0, self) }
        state.withLock { $0.machines = machines }
        let observer = TierObserver(tierName, tally, time)
        KingfisherEvents.add(observer)
        defer { KingfisherEvents.remove(observer) }
        for event in settings.events {
            time.at(Int64(event.time * 1e9)) { [self] in happen(event.kind) }
        }
        arrive()
        time.run(until: settings.duration)
        // Requests in progress, leases and writes end.
        time.run(until: settings.duration + 100)
        state.withLock { $0.machines = [] }
        return FleetResult(settings, tally.result, cluster.usage)
    }

    /// One request, and the next one after an exponential time.
    private func arrive() {
        let delay = load.exponential(mean: 1 / settings.rate)
        let next = time.nanoseconds + Int64(delay * 1e9)
        guard Double(next) < settings.duration * 1e9 else { return }
        time.at(next) { [self] in
            let image = catalogue.image(at: load.unit())
            let up = machines.filter(\.isUp)
            if !up.isEmpty { up[load.below(up.count)].request(image) }
            arrive()
        }
    }

    private func happen(_ event: FleetEvent.Kind) {
        switch event {
        case .loseMachines(let count): for machine in machines.prefix(count) { machine.lose() }
        case .returnMachines(let count): for machine in machines.prefix(count) { machine.replace() }
        case .loseNodes(let count): for number in 0..<count { cluster.loseNode(number) }
        case .returnNodes(let count): for number in 0..<count { cluster.returnNode(number) }
        case .truncateEntries: cluster.truncateEntries()
        case .invalidate(let tag):
            state.withLock { $0.version += 1 }
            machines.last?.invalidate(tag: tag)
        }
    }
}

/// Counts the library's events of one fleet.
private final class TierObserver: KingfisherEventObserver {
    private let name: String
    private let tally: Tally
    private let time: VirtualTime

    init(_ name: String, _ tally: Tally, _ time: VirtualTime) {
        (self.name, self.tally, self.time) = (name, tally, time)
    }

    func kingfisher(didReport event: KingfisherEvent) {
        switch event {
        case .tierHit(name, _, _, _), .tierStale(name, _, _, _, _):
            count { $0.readings["hit", default: 0] += 1 }
        case .tierMissed(name, _, let reason, _): count { $0.readings[Self.kind(reason), default: 0] += 1 }
        case .tierWritten(name, _, _, _): count { $0.writes += 1 }
        case .tierWriteFailed(name, _, let reason):
            count { $0.failedWrites[Self.kind(reason), default: 0] += 1 }
        default: break
        }
    }

    private func count(_ change: (inout Counts) -> Void) { tally.count(at: time.seconds, change) }

    /// The reason without the kind of an engine's error: `unavailable`.
    private static func kind(_ reason: String) -> String { String(reason.prefix { $0 != "." }) }
}
