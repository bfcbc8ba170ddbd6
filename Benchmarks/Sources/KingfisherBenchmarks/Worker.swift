import CSystem
import Foundation
import Glibc

/// One thing to measure: prepared once, then run as often as the driver asks.
protocol Workload {
    /// Called before each run, outside what is measured.
    func prepare() throws

    /// Does the work once; what it returns keeps the compiler from leaving it out.
    func run() throws -> Int

    /// What else is to be known of the work, as a number.
    func count() throws -> Int

    /// Writes what the work makes to `path`, for judging its quality; raw RGBA rows for images.
    func save(to path: String) throws
}

extension Workload {
    func prepare() {}

    func count() throws -> Int {
        throw BenchmarkError("nothing is counted in this workload")
    }

    func save(to path: String) throws {
        throw BenchmarkError("this workload makes nothing to save")
    }
}

struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Answers the driver line by line: `run` with the CPU time taken in nanoseconds, `clocks` with wall and CPU
/// time, `peak` with the bytes by which the process grew at most, `count` with what the workload counts,
/// `save PATH` with `ok`.
///
/// The driver runs the same protocol with every peer, in turns, so that all meet the same machine.
enum Worker {
    static func serve(_ workload: any Workload) throws {
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 1)
            switch words.first {
            case "run":
                try workload.prepare()
                let start = kf_processor_time()
                let result = try workload.run()
                let time = kf_processor_time() - start
                guard result > 0 else { throw BenchmarkError("no result") }
                print(time)
            case "clocks":
                try workload.prepare()
                let (wall, processor) = (kf_wall_time(), kf_processor_time())
                let result = try workload.run()
                let times = (kf_wall_time() - wall, kf_processor_time() - processor)
                guard result > 0 else { throw BenchmarkError("no result") }
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

    /// By how many bytes this process grows at most during `work` (see proc(5), `clear_refs` and `status`).
    private static func peak(of work: () throws -> Int) throws -> Int {
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let before = try status("VmRSS:")
        guard try work() > 0 else { throw BenchmarkError("no result") }
        return (try status("VmHWM:") - before) * 1024
    }

    /// A figure of this process, in kilobytes.
    private static func status(_ name: String) throws -> Int {
        let lines = try String(contentsOfFile: "/proc/self/status", encoding: .utf8).split(separator: "\n")
        let words = lines.first { $0.hasPrefix(name) }?.split { $0 == " " || $0 == "\t" }
        guard let words, words.count > 1, let figure = Int(words[1]) else {
            throw BenchmarkError("no \(name) in /proc/self/status")
        }
        return figure
    }
}
