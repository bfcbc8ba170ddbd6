import Foundation
import Glibc

/// The processes of a server, by `/proc`.
enum ProcessTree {
    /// A process and all its descendants.
    static func members(of root: pid_t) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var children: [pid_t: [pid_t]] = [:]
        for process in names.compactMap({ pid_t($0) }) {
            if let parent = parent(of: process) { children[parent, default: []].append(process) }
        }
        var members = [root]
        var next = 0
        while next < members.count {
            members += children[members[next]] ?? []
            next += 1
        }
        return members
    }

    private static func parent(of process: pid_t) -> pid_t? {
        fields(of: process)?.dropFirst().first.flatMap { pid_t($0) }
    }

    /// The fields of `/proc/PID/stat` after the name, which may contain any character.
    static func fields(of process: pid_t) -> [Substring]? {
        let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return text.flatMap { text in
            text.lastIndex(of: ")").map { text[text.index(after: $0)...].split(separator: " ") }
        }
    }

    /// Seconds of CPU time, with those of children that have exited.
    static func cpuTime(of process: pid_t) -> Double {
        guard let fields = fields(of: process), fields.count > 14 else { return 0 }
        return fields[11...14].reduce(0) { $0 + (Double($1) ?? 0) } / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Mebibytes, where shared pages are divided among the processes that share them. Only root may read
    /// this for a decoder, which is not dumpable; other users get its anonymous memory.
    static func proportionalMemory(of process: pid_t) -> Double {
        let proportional = number("Pss:", in: "/proc/\(process)/smaps_rollup")
        return proportional > 0 ? proportional : number("RssAnon:", in: "/proc/\(process)/status")
    }

    /// Mebibytes in a line `NAME NUMBER kB` of a file; 0 if there is none.
    static func number(_ name: String, in path: String) -> Double {
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return (line?.split { !$0.isNumber }.first.flatMap { Double($0) } ?? 0) / 1_024
    }
}
