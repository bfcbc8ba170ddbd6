import Foundation

/// How decoder processes are found, limited and reused.
public struct DecoderSettings: Hashable, Sendable {
    /// The path of `kingfisher-decoder`. Nil looks at the environment variable `KINGFISHER_DECODER`, beside
    /// the program, and in `../libexec` of its folder.
    public var executable: String?
    /// Processes of each `DecoderAccess` at the same time; by default one for each core.
    public var maximumProcesses = ProcessInfo.processInfo.activeProcessorCount
    /// Bytes of memory that a decoder may use in addition to its libraries.
    public var memoryLimit = 1_536 << 20
    /// The CPU time of one operation.
    public var cpuTimeLimit: Duration = .seconds(10)
    /// The wall time of one operation.
    public var wallTimeLimit: Duration = .seconds(30)
    /// The time after which an idle decoder ends.
    public var idleTime: Duration = .seconds(30)
    /// Files after which a decoder is replaced.
    public var maximumFiles = 1_000
    /// The measures without which a decoder must not run. A program that accepts less sets it.
    public var requiredLockDown: LockDown = [.systemCalls, .resourceLimits]
    /// The same for decoders that may open fonts: without `files` they could read every file of the user.
    public var requiredLockDownWithFonts: LockDown = [.systemCalls, .resourceLimits, .files]

    /// The default settings.
    public init() {}

    func requiredLockDown(_ access: DecoderAccess) -> LockDown {
        access == .fonts ? requiredLockDownWithFonts : requiredLockDown
    }
}
