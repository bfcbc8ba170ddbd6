import KingfisherSharedCache
import Testing

@testable import FleetSimulation

/// Small fleets. No time passes but that of the processor.
@Suite(.serialized)
struct FleetTests {
    private let small = FleetSettings().with {
        ($0.machines, $0.rate, $0.duration, $0.images) = (10, 300, 30, 500)
        ($0.memory, $0.disk) = (1 << 20, 4 << 20)
    }

    /// Five pauses of at most 120 %, and six reads up to the deadline.
    private let bound = 0.775 * 1.2 + 6 * 0.25 + 0.001

    private func text(_ result: FleetResult) -> String {
        """
        \(result.total.outcomes) \(result.total.times) \(result.total.readings.sorted { $0.key < $1.key })
        \(result.windows.map(\.fetches)) \(result.allBuilds) \(result.evictions) \(result.nodeBytes)
        """
    }

    private func check(_ result: FleetResult, buildsPerImage: Double = 1) {
        let total = result.total
        #expect(total.requests > 0 && total.outcomes.reduce(0, +) == total.requests)
        #expect(total.wrongImages == 0)
        #expect(total.slowestRead <= bound, "\(total.slowestRead)")
        #expect(result.buildsPerImage <= buildsPerImage)
        // Each request that built, and each renewal, is one request of the origin.
        let asked = total[.built] + total[.failed] + total.renewals
        #expect(total[.lost] > 0 || total.fetches == asked)
        let hits = total.readings["hit", default: 0]
        #expect(total[.lost] > 0 || hits == total[.shared] + total[.stale])
    }

    @Test("Each image is built once, and all requests are accounted for")
    func ordinary() {
        let result = Fleet(small).run()
        check(result)
        #expect(result.total[.shared] > 0 && result.total[.memory] > 0 && result.total[.disk] > 0)
        #expect(result.allBuilds == result.total.writes)
    }

    @Test("Equal seeds give equal runs, others do not")
    func determinism() {
        let settings = small.with {
            ($0.lifetime, $0.missing, $0.negativeLifetime, $0.tags) = (10, 0.05, 5, ["a"])
            $0.events = [
                FleetEvent(at: 10, .loseMachines(1)), FleetEvent(at: 12, .loseNodes(1)),
                FleetEvent(at: 15, .invalidate(tag: "a")), FleetEvent(at: 20, .returnMachines(1)),
                FleetEvent(at: 22, .returnNodes(1)),
            ]
        }
        let first = text(Fleet(settings).run())
        #expect(first == text(Fleet(settings).run()))
        #expect(first != text(Fleet(settings.with { $0.seed = 2 }).run()))
    }

    @Test("100 machines that ask for the same new images build each once")
    func stampede() {
        let settings = small.with {
            ($0.machines, $0.rate, $0.duration, $0.images) = (100, 2000, 5, 50)
            $0.cores = 64
        }
        let result = Fleet(settings).run()
        check(result)
        #expect(result.total.readings["busy"] == nil && result.distinctBuilds == 50)
        let alone = Fleet(settings.with { $0.isShared = false }).run()
        #expect(alone.buildsPerImage > 50)
    }

    @Test("A build that takes longer than others wait is repeated by some, at most once a machine")
    func slowBuilds() {
        let result = Fleet(
            small.with { ($0.images, $0.buildTime, $0.cores, $0.duration) = (20, 3, 64, 10) }
        ).run()
        check(result, buildsPerImage: 10)
        #expect(result.buildsPerImage > 1 && result.mostBuilds <= 10)
        #expect(result.total.readings["busy", default: 0] > 0)
    }

    @Test("The leases of lost machines hold others up for one wait, and no request is forgotten")
    func lostMachines() {
        let settings = small.with {
            ($0.buildTime, $0.cores, $0.images) = (0.3, 64, 2000)
            $0.events = [FleetEvent(at: 5, .loseMachines(3)), FleetEvent(at: 15, .returnMachines(3))]
        }
        let result = Fleet(settings).run()
        check(result, buildsPerImage: 1.1)
        #expect(result.total[.lost] > 0)
    }

    @Test("Requests of the slots of a lost node are answered by the origin", arguments: [false, true])
    func lostNodes(_ hasReplicas: Bool) {
        let settings = small.with {
            $0.cluster.hasReplicas = hasReplicas
            $0.events = [FleetEvent(at: 5, .loseNodes(1)), FleetEvent(at: 20, .returnNodes(1))]
        }
        let result = Fleet(settings).run()
        check(result, buildsPerImage: 10)
        #expect(result.total.readings["unavailable", default: 0] > 0)
        #expect(result.total[.lost] == 0 && result.total[.failed] == 0)
    }

    @Test(
        "An engine that is too small evicts, or refuses, and images are built again",
        arguments: [true, false])
    func smallEngine(_ evicts: Bool) {
        let settings = small.with { ($0.cluster.memory, $0.cluster.evicts) = (1 << 20, evicts) }
        let result = Fleet(settings).run()
        check(result, buildsPerImage: 10)
        #expect(result.buildsPerImage > 1 && result.memory <= 3 << 20)
        #expect(evicts ? result.evictions > 0 : result.total.failedWrites["unavailable", default: 0] > 0)
    }

    @Test("Failures of missing images are known on all machines")
    func negative() {
        let settings = small.with { ($0.missing, $0.negativeLifetime, $0.duration) = (0.2, 60, 20) }
        let result = Fleet(settings).run()
        check(result)
        let alone = Fleet(settings.with { $0.isShared = false }).run()
        #expect(result.total[.knownFailure] > 10 * result.total[.failed])
        #expect(alone.total[.failed] > 2 * result.total[.failed])
    }

    @Test("Entries that expire are renewed while they are delivered")
    func expiration() {
        let settings = small.with { ($0.lifetime, $0.images, $0.duration) = (10, 50, 60) }
        let result = Fleet(settings).run()
        check(result, buildsPerImage: 12)
        #expect(result.total[.stale] > 0 && result.total.renewals > 100)
        let late = Fleet(settings.with { ($0.tier.freshFraction, $0.tier.earlyRenewal) = (1, 0) }).run()
        check(late, buildsPerImage: 12)
        #expect(result.total[.built] < late.total[.built])
    }

    @Test("An invalidated tag reaches all machines within the time for which they remember it")
    func invalidation() {
        let settings = small.with {
            // All images are made before the invalidation.
            ($0.tags, $0.images) = (["a"], 100)
            $0.events = [FleetEvent(at: 15, .invalidate(tag: "a"))]
        }
        let result = Fleet(settings).run()
        check(result, buildsPerImage: 2)
        #expect(result.outdated > 0 && (15...16.1).contains(result.lastOutdated))
    }

    @Test("Truncated entries are made again, and no image is wrong")
    func truncated() {
        let result = Fleet(small.with { $0.events = [FleetEvent(at: 15, .truncateEntries)] }).run()
        check(result, buildsPerImage: 2)
        #expect(result.buildsPerImage > 1.2)
    }

    @Test("Files above the limit are not stored, and each machine builds them")
    func maximumBytes() {
        let result = Fleet(small.with { $0.tier.maximumBytes = 20_000 }).run()
        check(result, buildsPerImage: 10)
        #expect(result.total.failedWrites["tooLarge", default: 0] > 0 && result.buildsPerImage > 1.5)
    }

    @Test("A table is the same each time")
    func table() {
        var table = ScaleTable("a", "b")
        table.add("1", 0.1234.percent)
        #expect(table.text == "| a | b |\n| --- | --- |\n| 1 | 12.3 % |\n")
    }
}
