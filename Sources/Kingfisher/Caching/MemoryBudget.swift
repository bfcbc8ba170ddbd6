import Foundation

/// The memory that this process may use: the machine's, or less where it runs in a container.
///
/// The limit of a control group holds for the groups below it, so the lowest on the way up to the root
/// counts. Version 2 keeps it in `memory.max`, and in `memory.high` one above which the group is slowed down
/// and made to give memory back (Linux kernel, "Control Group v2"); version 1 in `memory.limit_in_bytes`.
struct MemoryBudget {
    let bytes: UInt64

    /// A part of it; never zero, which would be no limit to a cache.
    func share(oneIn divisor: UInt64) -> Int { max(1, Int(clamping: bytes / divisor)) }

    /// This process's, as it stands now.
    static var current: MemoryBudget {
        let read: (String) -> String? = { try? String(contentsOfFile: $0, encoding: .utf8) }
        return MemoryBudget(
            physical: ProcessInfo.processInfo.physicalMemory, groups: read("/proc/self/cgroup") ?? "",
            read: read)
    }

    /// `groups` is the text of `/proc/self/cgroup`: lines of a number, controllers and a path, between
    /// colons.
    init(physical: UInt64, groups: String, read: (_ path: String) -> String?) {
        bytes = groups.split(separator: "\n").reduce(physical) { least, line in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3, let (root, files) = Self.place(controllers: fields[1]) else {
                return least
            }
            let folders = fields[2].split(separator: "/").map(String.init)
            return (0...folders.count).reduce(least) { least, depth in
                files.reduce(least) { least, file in
                    let path = ([root] + folders.prefix(depth) + [file]).joined(separator: "/")
                    // No number where there is no limit, and no file in the root.
                    let limit = read(path).flatMap {
                        UInt64($0.trimmingCharacters(in: .whitespacesAndNewlines))
                    }
                    return min(least, limit ?? least)
                }
            }
        }
    }

    private static func place(controllers: Substring) -> (root: String, files: [String])? {
        if controllers.isEmpty { return ("/sys/fs/cgroup", ["memory.max", "memory.high"]) }
        guard controllers.split(separator: ",").contains("memory") else { return nil }
        return ("/sys/fs/cgroup/memory", ["memory.limit_in_bytes"])
    }
}
