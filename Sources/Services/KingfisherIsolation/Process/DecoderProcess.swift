import CSandbox
import Foundation
import Glibc
import KingfisherImage

/// A running decoder: its channel, its arena and its end.
///
/// Unchecked: used by the thread that has its lease, one after the other; without one, by the pool under its
/// lock, which also gives the leases.
final class DecoderProcess: @unchecked Sendable {
    let report: DecoderReport
    let arena: Arena
    private let channel: Int32
    private let process: pid_t
    private let descriptor: Int32
    /// The file in the arena, retained so that its address identifies it; nil if it was forgotten.
    var file: EncodedFile?
    /// The number of that file for the decoder.
    private(set) var fileNumber: UInt64 = 0
    /// The file that was opened last.
    var opened: JobFile?
    private var hasEnded = false

    /// The CPU time of a decoder, after which the kernel ends it also if this process no longer exists.
    static let cpuSeconds: UInt64 = 60
    /// Starting includes the loading of all libraries.
    private static let startLimit = TimeLimit(cpu: .seconds(20), wall: .seconds(60))

    /// Starts a decoder and waits until it is locked down.
    init(path: String, _ access: DecoderAccess, settings: DecoderSettings) throws(DecoderFault) {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw .unavailable("no socket: \(String(cString: strerror(errno)))")
        }
        channel = ends[0]
        var (pid, descriptor): (pid_t, Int32) = (0, -1)
        let started: Result<Arena, DecoderFault> = Result { () throws(DecoderFault) in
            let arena = try Arena()
            let start = Start(path: path, access: access, settings: settings)
            let error = start.spawn(ends[1], arena.descriptor, &pid, &descriptor)
            guard error == 0 else {
                throw .unavailable("\(path): \(String(cString: strerror(error)))")
            }
            return arena
        }
        close(ends[1])
        switch started {
        case .success(let arena): self.arena = arena
        case .failure(let error):
            close(channel)
            throw error
        }
        (process, self.descriptor) = (pid, descriptor)
        do throws(DecoderFault) {
            report = try Self.greeting(channel, process, descriptor)
        } catch {
            Self.end(channel, descriptor)
            throw error
        }
    }

    deinit {
        if !hasEnded { Self.end(channel, descriptor) }
    }

    private static func greeting(
        _ channel: Int32, _ process: pid_t, _ descriptor: Int32
    ) throws(DecoderFault) -> DecoderReport {
        let wait = ReplyWait(channel: channel, process: process, descriptor: descriptor, limit: startLimit)
        do throws(DecoderFault) {
            return try wait.reply().greeted()
        } catch .failure(.unavailable(let reason)) {
            throw .unavailable(reason)
        } catch .failure(let failure) {
            throw .unavailable(
                ImageCodecError.decoderFailed(failure).errorDescription ?? "it ended before its greeting")
        }
    }

    // MARK: Work

    /// The CPU time that the decoder has used; nil if it has ended.
    var cpuTime: Duration? {
        let time = kf_sandbox_cpu_time(process)
        return time < 0 ? nil : .nanoseconds(time)
    }

    /// The process identifier, for tests and reports.
    var identifier: pid_t { process }

    /// Stores a file at the start of the arena, unless it is there.
    func load(_ file: EncodedFile) throws(DecoderFault) {
        if self.file?.identity == file.identity { return }
        try arena.grow(to: file.data.count)
        self.file = nil
        fileNumber += 1
        try file.reading { reader throws(DecoderFault) in try arena.write(reader.bytes, at: 0) }
        self.file = file
    }

    /// Sends a request. Throws `endedBefore` if the decoder has ended.
    func send(_ request: WorkerRequest) throws(DecoderFault) {
        let message = request.message
        while true {
            let sent = Glibc.send(channel, message, message.count, Int32(MSG_NOSIGNAL))
            if sent == message.count { return }
            if errno == EINTR { continue }
            throw .endedBefore
        }
    }

    /// Waits for the reply to the last request, and throws if the decoder fails or takes longer than `limit`.
    func reply(within limit: TimeLimit) throws(DecoderFault) -> WorkerReply {
        try ReplyWait(channel: channel, process: process, descriptor: descriptor, limit: limit).reply()
    }

    /// Ends the process and waits for its end.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        Self.end(channel, descriptor)
    }

    private static func end(_ channel: Int32, _ descriptor: Int32) {
        close(channel)
        kf_sandbox_kill(descriptor)
        var (signal, status): (Int32, Int32) = (0, 0)
        _ = kf_sandbox_wait(descriptor, 10_000, &signal, &status)
        close(descriptor)
    }
}

/// The command that starts a decoder.
private struct Start {
    let path: String
    let access: DecoderAccess
    let settings: DecoderSettings

    /// The library path is for programs whose runtime is in a folder outside of the system's. A crash must
    /// not start the runtime's own reporter. One thread of librsvg is enough for filters.
    private var environment: [String] {
        let names = ["LD_LIBRARY_PATH"] + (access == .fonts ? Self.fontVariables : [])
        return ["SWIFT_BACKTRACE=enable=no", "RAYON_NUM_THREADS=1"]
            + names.compactMap { name in
                kf_sandbox_variable(name).map { "\(name)=\(String(cString: $0))" }
            }
    }

    /// Where fontconfig looks for its configuration and for the fonts of the user, and the user's language.
    private static let fontVariables =
        [
            "HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "FONTCONFIG_FILE",
            "FONTCONFIG_PATH", "FC_LANG",
        ] + WorkerArguments.languageVariables

    func spawn(
        _ channel: Int32, _ arena: Int32, _ process: inout pid_t, _ descriptor: inout Int32
    ) -> Int32 {
        let arguments = WorkerArguments(
            memory: UInt64(settings.memoryLimit), seconds: DecoderProcess.cpuSeconds, access: access)
        var (texts, variables) = (cStrings([path, "--worker"] + arguments.texts), cStrings(environment))
        defer { (texts + variables).forEach { free($0) } }
        return kf_sandbox_spawn(path, &texts, &variables, channel, arena, &process, &descriptor)
    }

    /// Copies for C, which end with a null pointer; the caller frees them.
    private func cStrings(_ strings: [String]) -> [UnsafeMutablePointer<CChar>?] {
        strings.map { strdup($0) } + [nil]
    }
}

extension EncodedFile {
    /// Where the bytes are.
    var identity: FileIdentity {
        reading { FileIdentity(address: UInt(bitPattern: $0.bytes.baseAddress), count: $0.count) }
    }
}
