// MARK: Losses

extension Scenario {
    private static let phases: [(name: String, windows: Range<Int>)] = [
        ("before", 27..<30), ("first 10 s", 30..<31), ("10 to 20 s", 31..<32), ("20 to 60 s", 32..<36),
        ("first 10 s after the return", 36..<37), ("10 to 60 s after it", 37..<42),
    ]

    private static func sum(_ windows: ArraySlice<Counts>) -> Counts {
        var sum = Counts()
        for window in windows {
            sum.requests += window.requests
            for index in sum.outcomes.indices { sum.outcomes[index] += window.outcomes[index] }
            sum.fetches += window.fetches
            sum.times += window.times
            sum.readings.merge(window.readings) { $0 + $1 }
        }
        return sum
    }

    static var lostMachinesTable: ScaleTable {
        var table = ScaleTable(
            "time", "lost requests", "shared", "built", "origin, requests/s",
            "origin without shared tier, requests/s")
        let settings = steady().with {
            $0.events = [FleetEvent(at: 300, .loseMachines(3)), FleetEvent(at: 360, .returnMachines(3))]
        }
        let result = Fleet(settings).run()
        let alone = Fleet(settings.with { $0.isShared = false }).run()
        for phase in phases {
            let counts = sum(result.windows[phase.windows])
            let others = sum(alone.windows[phase.windows])
            let seconds = Double(phase.windows.count) * Tally.window
            table.add(
                phase.name, "\(counts[.lost])", counts.share(.shared, .stale).percent,
                counts.share(.built, .joined).percent, (Double(counts.fetches) / seconds).text(1),
                (Double(others.fetches) / seconds).text(1))
        }
        return table
    }

    static var lostNodesTable: ScaleTable {
        var table = ScaleTable(
            "replicas", "time", "shared", "built", "origin, requests/s", "misses: timeouts", "errors",
            "answer, 99 %")
        for hasReplicas in [false, true] {
            let settings = steady().with {
                ($0.cluster.primaries, $0.cluster.hasReplicas) = (10, hasReplicas)
                $0.events = [FleetEvent(at: 300, .loseNodes(1)), FleetEvent(at: 360, .returnNodes(1))]
            }
            let result = Fleet(settings).run()
            for phase in phases {
                let counts = sum(result.windows[phase.windows])
                let seconds = Double(phase.windows.count) * Tally.window
                table.add(
                    hasReplicas ? "yes" : "no", phase.name, counts.share(.shared, .stale).percent,
                    counts.share(.built, .joined).percent, (Double(counts.fetches) / seconds).text(1),
                    "\(counts.readings["deadline", default: 0])",
                    "\(counts.readings["unavailable", default: 0])",
                    counts.times.quantile(0.99).milliseconds)
            }
        }
        return table
    }
}
