import CSandbox
import Glibc
import Kingfisher
import KingfisherImage

/// The time that an operation may take.
package struct TimeLimit: Hashable, Sendable {
    package var cpu: Duration
    package var wall: Duration

    package init(cpu: Duration, wall: Duration) {
        self.cpu = cpu
        self.wall = wall
    }
}

/// Waits for one message of a decoder, while it is alive and within its time.
struct ReplyWait {
    let channel: Int32
    let process: pid_t
    let descriptor: Int32
    let limit: TimeLimit

    /// How often the CPU time is compared with the limit.
    private static let interval: Duration = .milliseconds(100)

    func reply() throws(DecoderFault) -> WorkerReply {
        let start = ContinuousClock.now
        let used = kf_sandbox_cpu_time(process)
        while true {
            var event = pollfd(fd: channel, events: Int16(POLLIN), revents: 0)
            let left = min(limit.wall - (.now - start), Self.interval)
            let ready = poll(&event, 1, Int32(clamping: max(1, left.wholeMilliseconds)))
            if ready > 0 { return try receive() }
            if ready < 0, errno != EINTR { throw .failure(.violatedProtocol("poll failed")) }
            let time = Duration.nanoseconds(max(0, kf_sandbox_cpu_time(process) - used))
            if .now - start >= limit.wall || time >= limit.cpu { throw .failure(.timedOut) }
        }
    }

    private func receive() throws(DecoderFault) -> WorkerReply {
        let received: Result<WorkerReply, ProtocolViolation>? = withUnsafeTemporaryAllocation(
            byteCount: Message.maximumBytes, alignment: 8
        ) { room in
            var count: Int
            // With MSG_TRUNC the length of the whole packet is returned.
            repeat {
                count = recv(channel, room.baseAddress, room.count, Int32(MSG_TRUNC))
            } while count < 0 && errno == EINTR
            guard count > 0 else { return nil }
            return Result { () throws(ProtocolViolation) in
                guard count <= room.count else { throw ProtocolViolation("a message is too long") }
                return try WorkerReply(message: UnsafeRawBufferPointer(rebasing: room[..<count]))
            }
        }
        switch received {
        case .success(let reply): return reply
        case .failure(let violation): throw .failure(.violatedProtocol(violation.detail))
        case nil: throw .failure(ending())
        }
    }

    /// Why the decoder has closed its channel.
    private func ending() -> DecoderFailure {
        var (signal, status): (Int32, Int32) = (0, 0)
        guard kf_sandbox_wait(descriptor, 1_000, &signal, &status) else { return .crashed(signal: 0) }
        return switch signal {
        case SIGSYS: .forbiddenCall
        case SIGXCPU: .timedOut
        default: .crashed(signal: Int(signal))
        }
    }
}

extension WorkerReply {
    /// The report in a greeting. Throws for other replies, and for a decoder of another version: versions may
    /// differ in more than their messages, such as the limits of a format.
    func greeted() throws(DecoderFault) -> DecoderReport {
        guard case .ready(let report, let version) = self else {
            throw .unavailable("it did not start with a greeting")
        }
        guard version == kingfisherVersion else {
            throw .unavailable("it has version \(version), and the program has \(kingfisherVersion)")
        }
        return report
    }
}

extension Duration {
    fileprivate var wholeMilliseconds: Int64 {
        components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
    }
}
