import Foundation
import KingfisherTestSupport

/// What a process holds that many requests could leave behind. Exact only in a process of its own, as an exit
/// test has.
struct Leftovers {
    /// Where the open descriptors lead, numbers left out: sockets alike count as the same.
    let descriptors: [String: Int]
    let loopThreads = ProcessFacts.threads(named: "kf-transport")

    init() {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let targets = names.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        // libdispatch keeps a timer for each clock once it was used.
        descriptors = Dictionary(grouping: targets.filter { !$0.contains("timerfd") }) {
            $0.filter { !$0.isNumber }
        }.mapValues(\.count)
    }

    func exceeds(_ other: Leftovers) -> Bool {
        loopThreads > other.loopThreads || descriptors.contains { $0.value > other.descriptors[$0.key] ?? 0 }
    }
}
