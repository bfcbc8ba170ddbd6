/// The questions of docs/scale.md. Each runs some fleets and makes one table.
package enum Scenario: String, CaseIterable, Sendable {
    case tiers, popularity
    case coldStart = "cold-start"
    case leases
    case lostMachines = "lost-machines"
    case lostNodes = "lost-nodes"
    case memory, negative, expiration
    case maximumBytes = "maximum-bytes"
    case invalidation, load

    package var table: ScaleTable {
        switch self {
        case .tiers: Self.tiersTable
        case .popularity: Self.popularityTable
        case .coldStart: Self.coldStartTable
        case .leases: Self.leasesTable
        case .lostMachines: Self.lostMachinesTable
        case .lostNodes: Self.lostNodesTable
        case .memory: Self.memoryTable
        case .negative: Self.negativeTable
        case .expiration: Self.expirationTable
        case .maximumBytes: Self.maximumBytesTable
        case .invalidation: Self.invalidationTable
        case .load: Self.loadTable
        }
    }

    /// A fleet in its ordinary state: 20 requests a second for each machine, counted after a warm-up.
    static func steady(_ machines: Int = 30) -> FleetSettings {
        FleetSettings().with {
            $0.machines = machines
            $0.rate = 20 * Double(machines)
            ($0.duration, $0.warmUp) = (600, 300)
        }
    }
}

// MARK: Hits

extension Scenario {
    static var tiersTable: ScaleTable {
        var table = ScaleTable(
            "machines", "shared tier", "memory", "disk", "shared", "built", "origin, requests/s",
            "builds of an image")
        for machines in [10, 30, 100] {
            for isShared in [false, true] {
                let result = Fleet(steady(machines).with { $0.isShared = isShared }).run()
                let seconds = result.settings.duration - result.settings.warmUp
                table.add(
                    "\(machines)", isShared ? "yes" : "no", result.total.share(.memory).percent,
                    result.total.share(.disk).percent, result.total.share(.shared, .stale).percent,
                    result.total.share(.built, .joined).percent,
                    (Double(result.total.fetches) / seconds).text(1), result.buildsPerImage.text(2))
            }
        }
        return table
    }

    static var popularityTable: ScaleTable {
        var table = ScaleTable(
            "exponent", "memory", "disk", "shared", "built", "origin without shared tier, requests/s",
            "with it, requests/s")
        for exponent in [0.7, 0.9, 1.1] {
            let settings = steady().with { $0.popularity = exponent }
            let alone = Fleet(settings.with { $0.isShared = false }).run()
            let result = Fleet(settings).run()
            let seconds = settings.duration - settings.warmUp
            table.add(
                exponent.text(1), result.total.share(.memory).percent, result.total.share(.disk).percent,
                result.total.share(.shared, .stale).percent, result.total.share(.built, .joined).percent,
                (Double(alone.total.fetches) / seconds).text(1),
                (Double(result.total.fetches) / seconds).text(1))
        }
        return table
    }
}

// MARK: Leases

extension Scenario {
    static var coldStartTable: ScaleTable {
        var table = ScaleTable(
            "machines", "shared tier", "images built", "builds", "builds of an image",
            "origin, peak requests/s",
            "response time, median", "99 %", "slowest read of the tier")
        for machines in [10, 30, 100] {
            for isShared in [false, true] {
                let settings = FleetSettings().with {
                    $0.machines = machines
                    $0.rate = 100 * Double(machines)
                    $0.duration = 30
                    $0.isShared = isShared
                }
                let result = Fleet(settings).run()
                table.add(
                    "\(machines)", isShared ? "yes" : "no", "\(result.distinctBuilds)",
                    "\(result.allBuilds)", result.buildsPerImage.text(3), "\(result.peakFetches)",
                    result.total.times.quantile(0.5).milliseconds,
                    result.total.times.quantile(0.99).milliseconds,
                    isShared ? result.total.slowestRead.milliseconds : "-")
            }
        }
        return table
    }

    /// A crowd asks for 200 new images, each on all machines.
    static var leasesTable: ScaleTable {
        var table = ScaleTable(
            "time to build", "machines", "builds of an image", "most builds of one", "waits without an image",
            "response time, median", "99 %", "slowest read of the tier")
        for buildTime in [0.05, 0.2, 0.4, 0.8, 1.6, 3.2] {
            for machines in [10, 100] {
                let settings = FleetSettings().with {
                    $0.machines = machines
                    $0.rate = 50 * Double(machines)
                    $0.duration = 30
                    ($0.images, $0.popularity, $0.cores) = (200, 0.7, 64)
                    $0.buildTime = buildTime
                }
                let result = Fleet(settings).run()
                table.add(
                    "\((buildTime).text(2)) s", "\(machines)", result.buildsPerImage.text(2),
                    "\(result.mostBuilds)", "\(result.total.readings["busy", default: 0])",
                    result.total.times.quantile(0.5).milliseconds,
                    result.total.times.quantile(0.99).milliseconds, result.total.slowestRead.milliseconds)
            }
        }
        return table
    }
}
