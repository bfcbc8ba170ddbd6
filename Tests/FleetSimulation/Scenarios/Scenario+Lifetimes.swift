import KingfisherSharedCache

// MARK: Lifetimes

extension Scenario {
    static var negativeTable: ScaleTable {
        var table = ScaleTable(
            "shared tier", "failures remembered for", "requests for missing images",
            "of these sent to the origin", "origin, requests/s")
        for (isShared, lifetime) in [(false, 0.0), (false, 45), (true, 45)] {
            let result = Fleet(
                steady().with {
                    $0.missing = 0.05
                    ($0.isShared, $0.negativeLifetime) = (isShared, lifetime)
                }
            ).run()
            let failures = result.total[.failed] + result.total[.knownFailure]
            table.add(
                isShared ? "yes" : "no", lifetime == 0 ? "not at all" : "45 s ± 20 %",
                result.total.share(.failed, .knownFailure).percent,
                (Double(result.total[.failed]) / Double(failures)).percent,
                (Double(result.total.fetches) / 300).text(1))
        }
        return table
    }

    static var expirationTable: ScaleTable {
        var table = ScaleTable(
            "fresh part", "early renewal", "stale", "built", "waited for a build", "renewals",
            "builds of an image", "answer, 99 %")
        for (fraction, early) in [(1.0, 0.0), (0.9, 0), (0.9, 1), (0.7, 1)] {
            let result = Fleet(
                steady().with {
                    ($0.images, $0.lifetime, $0.buildTime) = (2000, 60, 0.3)
                    ($0.tier.freshFraction, $0.tier.earlyRenewal) = (fraction, early)
                }
            ).run()
            let slow = result.total.times.count { $0 > 0.025 }
            table.add(
                fraction.text(1), early.text(0), result.total.share(.stale).percent,
                result.total.share(.built).percent,
                (Double(slow) / Double(result.total.requests)).percent, "\(result.total.renewals)",
                result.buildsPerImage.text(2), result.total.times.quantile(0.99).milliseconds)
        }
        return table
    }

    static var invalidationTable: ScaleTable {
        var table = ScaleTable(
            "`tagMemory`", "stale entries read after the invalidation", "last such read after")
        for memory in [0.0, 1, 5] {
            let result = Fleet(
                steady().with {
                    ($0.tags, $0.tier.tagMemory) = (["catalogue"], .seconds(memory))
                    $0.events = [FleetEvent(at: 400, .invalidate(tag: "catalogue"))]
                }
            ).run()
            table.add(
                "\(memory.text(0)) s", "\(result.outdated)",
                result.outdated == 0 ? "-" : "\((result.lastOutdated - 400).text(2)) s")
        }
        return table
    }
}
