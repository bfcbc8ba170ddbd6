import Foundation
import KingfisherTestSupport

/// File descriptors and other resources of the process. Exact only in a separate process, such as an exit
/// test.
struct ProcessResources {
    /// The number of open descriptors for each target. Numbers are removed, so all sockets have one target.
    /// A file has the same target after its removal: an exit test inherits descriptors of files that other
    /// tests remove while it runs.
    let descriptors: [String: Int]
    let loopThreads = ProcessStatus.threads(named: "kf-transport")

    init() {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let targets = names.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        // libdispatch keeps a timer for each clock after its first use.
        descriptors = Dictionary(grouping: targets.filter { !$0.contains("timerfd") }) {
            $0.replacing(" (deleted)", with: "").filter { !$0.isNumber }
        }.mapValues(\.count)
    }

    func exceeds(_ other: ProcessResources) -> Bool {
        loopThreads > other.loopThreads || descriptors.contains { $0.value > other.descriptors[$0.key] ?? 0 }
    }
}
