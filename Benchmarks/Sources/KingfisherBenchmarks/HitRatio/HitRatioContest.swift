import Foundation
import Kingfisher

/// Replays every trace with every contestant at several capacities.
struct HitRatioContest {
    enum Contestant: Hashable {
        case belady
        case plainLRU
        case library(MemoryStorage.EvictionPolicy)

        static let all: [Contestant] =
            [.belady, .plainLRU] + MemoryStorage.EvictionPolicy.allCases.map { Contestant.library($0) }

        /// The default policy.
        static let ours = Contestant.library(MemoryStorage.Config(totalCostLimit: 1).evictionPolicy)

        var name: String {
            switch self {
            case .belady: "belady"
            case .plainLRU: "lru, plain"
            case .library(let policy): "\(policy)"
            }
        }
    }

    /// The seeds used to tune the constants of the policies.
    static let tuningSeeds: [UInt64] = [1, 2]
    /// Seeds that were not used for tuning; the row uses these.
    static let reportedSeeds: [UInt64] = [101, 102, 103]
    /// Capacities as fractions of the size of all images of a trace.
    static let capacities = [0.005, 0.01, 0.05, 0.1]

    private(set) var traces: [String] = []
    private var results: [String: [Double: [Contestant: [HitRatio]]]] = [:]

    init(seeds: [UInt64], contestants: [Contestant]) {
        for seed in seeds {
            var maker = TraceMaker(seed: seed)
            for trace in maker.all() {
                if !traces.contains(trace.name) { traces.append(trace.name) }
                let keys = BackendReplay.keys(of: trace)
                for capacity in Self.capacities {
                    for contestant in contestants {
                        let ratio = Self.play(
                            trace, to: contestant, capacity: Int(capacity * Double(trace.footprint)),
                            keys: keys)
                        results[trace.name, default: [:]][capacity, default: [:]][contestant, default: []]
                            .append(ratio)
                    }
                }
            }
        }
    }

    static func play(_ trace: Trace, to contestant: Contestant, capacity: Int, keys: [String]) -> HitRatio {
        switch contestant {
        case .belady: HitRatio(of: trace, in: Belady(capacity: capacity, trace: trace))
        case .plainLRU: HitRatio(of: trace, in: PlainLRU(capacity: capacity))
        case .library(let policy):
            HitRatio(of: trace, in: BackendReplay(policy, capacity: capacity, keys: keys))
        }
    }

    /// The hit ratios on a trace, one for each seed.
    func ratios(_ contestant: Contestant, trace: String, capacity: Double) -> [HitRatio] {
        results[trace]?[capacity]?[contestant] ?? []
    }

    /// A contestant's hits relative to Belady's, by cost: the mean over capacities, seeds and `traces`.
    func share(_ contestant: Contestant, traces: [String]) -> Double {
        let shares = traces.flatMap { trace in
            Self.capacities.flatMap { capacity in
                zip(
                    ratios(contestant, trace: trace, capacity: capacity),
                    ratios(.belady, trace: trace, capacity: capacity)
                ).map { $0.cost / $1.cost }
            }
        }
        return shares.reduce(0, +) / Double(shares.count)
    }
}

/// Output for the driver and for users.
enum HitRatioReport {
    /// `KingfisherBenchmarks hit-ratio [SEED...]`: hit ratios by trace and capacity, then shares of Belady.
    static func table(seeds: [UInt64]) {
        let contest = HitRatioContest(seeds: seeds, contestants: HitRatioContest.Contestant.all)
        print("Hits by requests / by bytes / by miss cost; seeds \(seeds)\n")
        for trace in contest.traces {
            for capacity in HitRatioContest.capacities {
                for contestant in HitRatioContest.Contestant.all {
                    let ratios = contest.ratios(contestant, trace: trace, capacity: capacity)
                    let means = [mean(ratios, \.objects), mean(ratios, \.bytes), mean(ratios, \.cost)]
                    print(
                        padded(trace, 16), padded("\(capacity * 100) %", 6), padded(contestant.name, 18),
                        means.joined(separator: " / "))
                }
            }
        }
        print("\nHits relative to Belady by cost, mean over capacities")
        for contestant in HitRatioContest.Contestant.all {
            let shares = (contest.traces.map { [$0] } + [contest.traces]).map {
                String(format: "%.3f", contest.share(contestant, traces: $0))
            }
            let names = contest.traces + ["all"]
            print(
                padded(contestant.name, 18), zip(names, shares).map { "\($0) \($1)" }.joined(separator: ", "))
        }
    }

    /// `KingfisherBenchmarks hit-ratio-row`: on each line a peer and the ratio of the default policy to it.
    static func row() throws {
        try HitRatioCheck.run()
        let ours = HitRatioContest.Contestant.ours
        let contest = HitRatioContest(
            seeds: HitRatioContest.reportedSeeds, contestants: [.belady, .plainLRU, ours])
        print("belady", contest.share(ours, traces: contest.traces))
        for (name, traces) in [("lru", contest.traces), ("lru-feed", ["feed"])] {
            print(name, contest.share(ours, traces: traces) / contest.share(.plainLRU, traces: traces))
        }
        for trace in contest.traces {
            let shares = [ours, .plainLRU].map { String(format: "%.3f", contest.share($0, traces: [trace])) }
            print("#", "\(trace): \(shares[0]), lru \(shares[1])")
        }
    }

    private static func mean(_ ratios: [HitRatio], _ part: KeyPath<HitRatio, Double>) -> String {
        let sum = ratios.reduce(0.0) { $0 + $1[keyPath: part] }
        return String(format: "%.3f", sum / Double(ratios.count))
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text.padding(toLength: max(width, text.count), withPad: " ", startingAt: 0)
    }
}
