import Foundation
import Glibc

/// What an unfinished file is called, so that whoever finds it can tell whether somebody still writes it.
///
/// The process is named by its id, and where that id means something: the same namespace of the same run of
/// one machine. A random number tells a process from the one that had its id before.
struct StagingName: Sendable, Equatable {
    /// Where the process id holds.
    let place: UInt64
    let process: pid_t
    let run: UInt64
    let count: UInt64

    init(place: UInt64 = here, process: pid_t = getpid(), run: UInt64 = thisRun, count: UInt64) {
        self.place = place
        self.process = process
        self.run = run
        self.count = count
    }

    init?(_ string: some StringProtocol) {
        let parts = string.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, let place = UInt64(parts[0], radix: 16), let process = pid_t(parts[1]),
            process > 0,
            let run = UInt64(parts[2], radix: 16), let count = UInt64(parts[3])
        else { return nil }
        self.init(place: place, process: process, run: run, count: count)
    }

    var string: String {
        "\(String(place, radix: 16))-\(process)-\(String(run, radix: 16))-\(count)"
    }

    /// Whether its writer is known to be gone; a process that cannot be seen from here may be alive.
    var isOrphan: Bool {
        guard place == Self.here else { return false }
        if process == getpid() { return run != Self.thisRun }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    static let thisRun = UInt64.random(in: .min ... .max)

    static let here: UInt64 = {
        let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let namespace = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
        // Without them nobody can tell, and age has to do.
        guard let boot, let namespace else { return .random(in: .min ... .max) }
        return Checksum.of(boot + namespace)
    }()
}
