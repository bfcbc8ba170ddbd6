import Foundation

/// The system's data about this process, for leak tests.
public enum ProcessStatus {
    /// The number of open file descriptors.
    public static var openDescriptors: Int {
        // The listing itself uses one.
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 1) - 1
    }

    /// The number of threads in this process.
    public static var threads: Int { number("Threads") }

    /// The number of threads with a name (at most 15 characters).
    public static func threads(named name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            let text = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return text?.trimmingCharacters(in: .newlines) == name
        }
    }

    /// The current resident memory in bytes.
    public static var residentBytes: Int { number("VmRSS") << 10 }

    /// The current resident memory in bytes without mapped files.
    package static var anonymousBytes: Int { number("RssAnon") << 10 }

    /// The maximum resident memory so far in bytes.
    public static var peakResidentBytes: Int { number("VmHWM") << 10 }

    /// The size of the virtual address space in use, in bytes.
    package static var virtualBytes: Int { number("VmSize") << 10 }

    /// Whether a sanitizer is active, which needs more memory and several times the time
    /// (scripts/test-sanitizer).
    package static var isSanitized: Bool {
        ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains { ProcessInfo.processInfo.environment[$0] != nil }
    }

    /// The factor for time limits of tests: 4 under a sanitizer and beside busy loops (scripts/test-busy).
    package static var slowness: Int {
        isSanitized || ProcessInfo.processInfo.environment["KINGFISHER_BUSY"] != nil ? 4 : 1
    }

    private static func number(_ key: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") }
        return line?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
    }
}
