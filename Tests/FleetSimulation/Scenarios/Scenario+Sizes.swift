import KingfisherSharedCache

// MARK: Sizes

extension Scenario {
    static var memoryTable: ScaleTable {
        var table = ScaleTable(
            "memory of the engine", "full engine", "reads of the tier that hit", "built",
            "origin, requests/s",
            "builds of an image", "evictions")
        let settings = steady()
        let catalogue = Catalogue(settings)
        let all = (0..<settings.images).reduce(0) { $0 + Engine.memory(ofValue: catalogue.size($1)) }
        let rows = [
            (2.0, true), (1, true), (0.5, true), (0.25, true), (0.1, true), (0.05, true), (0.25, false),
        ]
        for (share, evicts) in rows {
            let result = Fleet(
                settings.with {
                    $0.cluster.memory = Int(Double(all) * share) / $0.cluster.primaries
                    $0.cluster.evicts = evicts
                }
            ).run()
            let hits = Double(result.total.readings["hit", default: 0])
            let reads = Double(result.total.readings.values.reduce(0, +))
            table.add(
                "\((share * 100).text(0)) % of all images", evicts ? "evicts" : "refuses writes",
                (hits / reads).percent, result.total.share(.built, .joined).percent,
                (Double(result.total.fetches) / 300).text(1), result.buildsPerImage.text(2),
                "\(result.evictions)")
        }
        return table
    }

    static var maximumBytesTable: ScaleTable {
        var table = ScaleTable(
            "`maximumBytes`", "images above it", "their share of all bytes", "reads of the tier that hit",
            "origin, requests/s", "memory of the engine", "bytes read from it a request")
        for limit in [50_000, 100_000, 1_000_000, 8 << 20] {
            let settings = steady().with {
                $0.sizeSpread = 1.3
                $0.tier.maximumBytes = limit
            }
            let catalogue = Catalogue(settings)
            let sizes = (0..<settings.images).map(catalogue.size)
            let large = sizes.filter { $0 > limit }
            let result = Fleet(settings).run()
            let hits = Double(result.total.readings["hit", default: 0])
            let reads = Double(result.total.readings.values.reduce(0, +))
            table.add(
                limit < 1_000_000 ? "\(limit / 1000) KB" : limit == 1_000_000 ? "1 MB" : "8 MiB",
                (Double(large.count) / Double(sizes.count)).percent,
                (Double(large.reduce(0, +)) / Double(sizes.reduce(0, +))).percent, (hits / reads).percent,
                (Double(result.total.fetches) / 300).text(1), "\(result.memory >> 20) MiB",
                "\((Double(result.nodeBytes) / (20 * 30 * 600) / 1000).text(1)) KB")
        }
        return table
    }

    static var loadTable: ScaleTable {
        var table = ScaleTable(
            "machines", "requests/s", "nodes", "link of a node", "commands/s of the busiest node",
            "Mbit/s of the busiest node", "misses: timeouts", "errors", "response time, median", "99 %")
        let rows: [(Int, Int, Double)] = [
            (30, 3, 1.25e8), (100, 3, 1.25e8), (100, 10, 1.25e8), (100, 3, 1.25e7), (100, 10, 1.25e7),
        ]
        for (machines, nodes, bandwidth) in rows {
            let settings = steady(machines).with {
                ($0.rate, $0.duration, $0.warmUp) = (100 * Double(machines), 60, 30)
                ($0.cluster.primaries, $0.cluster.nodeBandwidth) = (nodes, bandwidth)
            }
            let result = Fleet(settings).run()
            table.add(
                "\(machines)", settings.rate.text(0), "\(nodes)",
                bandwidth > 1e8 ? "1 Gbit/s" : "100 Mbit/s",
                (Double(result.peakCommands) / settings.duration).text(0),
                (Double(result.peakNodeBytes) * 8e-6 / settings.duration).text(0),
                "\(result.total.readings["deadline", default: 0])",
                "\(result.total.readings["unavailable", default: 0])",
                result.total.times.quantile(0.5).milliseconds,
                result.total.times.quantile(0.99).milliseconds)
        }
        return table
    }
}
