import Foundation

/// A control group (version 2) with a memory limit, above which the kernel kills its processes.
struct ControlGroup: Sendable {
    let folder: URL

    /// Returns nil if the system does not support control groups, or if the user may not create them.
    init?(mebibytes: Int) {
        let root = URL(filePath: "/sys/fs/cgroup")
        let list = root.appending(path: "cgroup.controllers")
        let controllers = (try? String(contentsOf: list, encoding: .utf8)) ?? ""
        guard controllers.split(whereSeparator: \.isWhitespace).contains("memory") else { return nil }
        folder = root.appending(path: "kingfisher-siege-\(ProcessInfo.processInfo.processIdentifier)")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try Data("\(mebibytes << 20)".utf8).write(to: folder.appending(path: "memory.max"))
        } catch {
            remove()
            return nil
        }
        // The file does not exist without swap.
        try? Data("0".utf8).write(to: folder.appending(path: "memory.swap.max"))
    }

    /// The number of processes that the out-of-memory killer has ended.
    var kills: Int {
        let events = (try? String(contentsOf: folder.appending(path: "memory.events"), encoding: .utf8)) ?? ""
        let line = events.split(separator: "\n").first { $0.hasPrefix("oom_kill ") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }

    /// Removes the group, which must be empty.
    func remove() { rmdir(folder.path) }
}
