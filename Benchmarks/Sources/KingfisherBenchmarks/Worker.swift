import CSystem
import Foundation
import Glibc

/// Work to measure: prepared once, then run at each request of the driver.
protocol Workload {
    /// Called before each run, and not measured.
    func prepare() throws

    /// Does the work once. The result prevents the compiler from removing the work.
    func run() throws -> Int

    /// The CPU time in nanoseconds that other processes have used for the work so far.
    var timeOfOthers: Int64 { get }

    /// An additional number about the work.
    func count() throws -> Int

    /// Writes the result to `path` to measure its quality; for images as raw RGBA rows.
    func save(to path: String) throws
}

extension Workload {
    func prepare() {}

    var timeOfOthers: Int64 { 0 }

    func count() throws -> Int {
        throw BenchmarkError("this workload has no count")
    }

    func save(to path: String) throws {
        throw BenchmarkError("this workload has no result to save")
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Responds to commands of the driver: to `run` with the CPU time in nanoseconds, to `clocks` with wall and
/// CPU time, to `peak` with the peak memory growth in bytes, to `count` with the count of the workload, to
/// `save PATH` with `ok`.
///
/// The driver uses the same protocol with every peer, alternating between them, so that all run under the
/// same conditions.
enum Worker {
    static func serve(_ workload: any Workload) throws {
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1)
            switch words.first {
            case "run":
                try workload.prepare()
                let start = kf_processor_time() + workload.timeOfOthers
                let result = try workload.run()
                let time = kf_processor_time() + workload.timeOfOthers - start
                guard result > 0 else { throw BenchmarkError("the workload returned no result") }
                print(time)
            case "clocks":
                try workload.prepare()
                let (wall, processor) = (kf_wall_time(), kf_processor_time())
                let result = try workload.run()
                let times = (kf_wall_time() - wall, kf_processor_time() - processor)
                guard result > 0 else { throw BenchmarkError("the workload returned no result") }
                print(times.0, times.1)
            case "peak":
                print(try peak(of: workload.run))
            case "count":
                print(try workload.count())
            case "save":
                try workload.save(to: String(words[1]))
                print("ok")
            default: throw BenchmarkError("unknown command: \(line)")
            }
            fflush(nil)
        }
    }

    /// The peak memory growth of this process in bytes during `work` (see proc(5), `clear_refs` and
    /// `status`).
    private static func peak(of work: () throws -> Int) throws -> Int {
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let before = try status("VmRSS:")
        guard try work() > 0 else { throw BenchmarkError("the workload returned no result") }
        return (try status("VmHWM:") - before) * 1024
    }

    /// A value from the status of this process, in kilobytes.
    static func status(_ name: String) throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        let words = lines.first { $0.hasPrefix(name) }?.split { $0 == " " || $0 == "\t" }
        guard let words, words.count > 1, let figure = Int(words[1]) else {
            throw BenchmarkError("no \(name) in /proc/self/status")
        }
        return figure
    }
}
