import Foundation

/// The memory that this process may use: the memory of the machine, or the limit of a container.
///
/// A limit of a control group applies to the groups below it, so this is the lowest limit on the path to the
/// root. Version 2 has the limit in `memory.max`, and in `memory.high` the amount above which the kernel
/// slows the group down and reclaims memory (Linux kernel, "Control Group v2"). Version 1 has it in
/// `memory.limit_in_bytes`.
struct MemoryBudget {
    let bytes: UInt64

    /// A fraction of the budget. At least 1, because 0 means no limit to a cache.
    func share(oneIn divisor: UInt64) -> Int { max(1, Int(clamping: bytes / divisor)) }

    static var current: MemoryBudget {
        let read: (String) -> String? = { try? String(contentsOfFile: $0, encoding: .utf8) }
        return MemoryBudget(
            physical: ProcessInfo.processInfo.physicalMemory, groups: read("/proc/self/cgroup") ?? "",
            read: read)
    }

    /// - Parameter groups: The text of `/proc/self/cgroup`: lines of a number, controllers and a path,
    ///   separated by colons.
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
                    // The file has "max" if there is no limit. The root group has no file.
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
