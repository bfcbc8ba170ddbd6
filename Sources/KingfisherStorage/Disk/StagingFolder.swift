import Foundation
import Glibc
import Synchronization

/// Where new files are written before they get their name.
struct StagingFolder: Sendable {
    /// The sibling folder, open; nil means the cache folder itself, where staged names begin with a dot.
    private let sibling: OpenFolder?
    private let prefix: String

    /// Names inside the cache folder that begin so are ours, unfinished, and no entries.
    static let hiddenPrefix = ".kingfisher-"

    init(sibling: OpenFolder) {
        self.sibling = sibling
        prefix = ""
    }

    init(inside directory: String) {
        sibling = nil
        prefix = directory + "/" + Self.hiddenPrefix
    }

    /// What names from `makeName()` are relative to; valid as long as this value.
    var descriptor: CInt { sibling?.file.raw ?? AT_FDCWD }

    /// A name that no other file has.
    func makeName() -> String {
        prefix + StagingName(count: Self.count.wrappingAdd(1, ordering: .relaxed).newValue).string
    }

    private static let count = Atomic<UInt64>(0)
}

/// An open folder that several threads use; closed when the last of them releases it.
final class OpenFolder: Sendable {
    let file: FileDescriptor

    init(_ file: consuming FileDescriptor) {
        self.file = file
    }
}

/// What an unfinished file is called. The name tells whether its process is still there.
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
        // Without them only the age of a file tells.
        guard let boot, let namespace else { return .random(in: .min ... .max) }
        return Checksum.of(boot + namespace)
    }()
}
