import CSandbox

/// The measures that confine a decoder process. A set: a system may lack some of them.
public struct LockDown: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    /// Creates a set from its bits.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// An allow list of about 20 system calls, with fonts about 40; any other call ends the process
    /// (seccomp(2)).
    public static let systemCalls = LockDown(rawValue: UInt32(kf_sandbox_seccomp))
    /// Limits of address space and CPU time; nothing written, no core dumps; except with fonts, no new
    /// descriptors and no threads (setrlimit(2)).
    public static let resourceLimits = LockDown(rawValue: UInt32(kf_sandbox_limits))
    /// No privileges by executing a program (`PR_SET_NO_NEW_PRIVS`).
    public static let noNewPrivileges = LockDown(rawValue: UInt32(kf_sandbox_no_new_privileges))
    /// No access to files other than fonts, if these are open, and on newer kernels to TCP ports and to
    /// processes outside (landlock(7)).
    public static let files = LockDown(rawValue: UInt32(kf_sandbox_landlock))
    /// The user and group 65534, which own no files. Only root can change to them.
    public static let identity = LockDown(rawValue: UInt32(kf_sandbox_identity))
    /// Separate namespaces of network, host name and System V IPC, if the system lets users have them.
    public static let namespaces = LockDown(rawValue: UInt32(kf_sandbox_namespaces))

    /// All measures with their names, the strongest first.
    public static let all: [(measure: LockDown, name: String)] = [
        (.systemCalls, "system calls"), (.resourceLimits, "resource limits"),
        (.noNewPrivileges, "no new privileges"), (.files, "files"), (.identity, "identity"),
        (.namespaces, "namespaces"),
    ]

    /// The names of the measures in this set.
    public var names: [String] { Self.all.filter { contains($0.measure) }.map(\.name) }
}

/// What a decoder process tells about itself when it starts.
public struct DecoderReport: Hashable, Sendable {
    /// The measures that are in force.
    public let lockDown: LockDown
    /// The names of the formats whose libraries are present.
    public let formats: [String]
    /// Why others are missing, such as a library that is not installed; nil if that is unknown.
    public let missing: String?

    package init(lockDown: LockDown, formats: [String], missing: String? = nil) {
        (self.lockDown, self.formats, self.missing) = (lockDown, formats, missing)
    }
}
