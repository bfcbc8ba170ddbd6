import Foundation
import Glibc
import Synchronization

struct StagingFolder: Sendable {
    /// The open sibling folder; nil if files are staged in the cache folder itself, under hidden names.
    private let sibling: OpenFolder?
    private let prefix: String

    /// Files inside the cache folder with this prefix are unfinished and are not entries.
    static let hiddenPrefix = ".kingfisher-"

    init(sibling: OpenFolder) {
        self.sibling = sibling
        prefix = ""
    }

    init(inside directory: String) {
        sibling = nil
        prefix = directory + "/" + Self.hiddenPrefix
    }

    /// Names from `makeName()` are relative to this folder. Valid as long as this value.
    var descriptor: CInt { sibling?.file.raw ?? AT_FDCWD }

    func makeName() -> String {
        prefix + StagingName(count: Self.count.wrappingAdd(1, ordering: .relaxed).newValue).string
    }

    private static let count = Atomic<UInt64>(0)
}

final class OpenFolder: Sendable {
    let file: FileDescriptor

    init(_ file: consuming FileDescriptor) {
        self.file = file
    }
}

/// The name of an unfinished file, which tells whether its process still exists.
///
/// It consists of the process id, the place where that id is valid (one pid namespace, one boot of one
/// machine), a random number that distinguishes the process from an earlier one with the same id, and a
/// counter.
struct StagingName: Sendable, Equatable {
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

    /// Whether the process is known to have ended. A process in another place may still be alive.
    var isOrphan: Bool {
        guard place == Self.here else { return false }
        if process == getpid() { return run != Self.thisRun }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    static let thisRun = UInt64.random(in: .min ... .max)

    static let here: UInt64 = {
        let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let namespace = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
        // If they are unknown, only the age of a file can tell.
        guard let boot, let namespace else { return .random(in: .min ... .max) }
        return Checksum.of(boot + namespace)
    }()
}
