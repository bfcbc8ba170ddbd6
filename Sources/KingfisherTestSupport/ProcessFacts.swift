import Foundation

/// What the system says about this process, for tests that look for leaks.
public enum ProcessFacts {
    /// How many file descriptors are open.
    public static var openDescriptors: Int {
        // The listing itself holds one.
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 1) - 1
    }

    /// How many threads this process has.
    public static var threads: Int { number("Threads") }

    /// How many threads bear a name (at most 15 characters).
    public static func threads(named name: String) -> Int {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.count { task in
            let text = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return text?.trimmingCharacters(in: .newlines) == name
        }
    }

    /// The memory held now, in bytes.
    public static var residentBytes: Int { number("VmRSS") << 10 }

    /// The most memory ever held, in bytes.
    public static var peakResidentBytes: Int { number("VmHWM") << 10 }

    /// The addresses in use, in bytes, whether or not there is memory behind them.
    package static var virtualBytes: Int { number("VmSize") << 10 }

    /// Whether a sanitizer watches, which takes memory and several times the time (scripts/test-sanitizer).
    package static var isSanitized: Bool {
        ["ASAN_OPTIONS", "TSAN_OPTIONS"].contains { ProcessInfo.processInfo.environment[$0] != nil }
    }

    private static func number(_ key: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(key + ":") }
        return line?.split { !$0.isNumber }.first.flatMap { Int($0) } ?? 0
    }
}
