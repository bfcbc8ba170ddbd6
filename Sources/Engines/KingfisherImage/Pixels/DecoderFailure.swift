/// Why a decoder in another process gave no result; see `DecodingStrategy`.
public enum DecoderFailure: Hashable, Sendable {
    /// The decoder cannot be started. The text says why, and how to install it.
    case unavailable(String)
    /// The decoder is not locked down as required. The text names the missing measures.
    case notLockedDown(String)
    /// The decoder crashed by this signal; 0 if it exited.
    case crashed(signal: Int)
    /// The decoder made a system call that it must not make, and was ended.
    case forbiddenCall
    /// The decoder took too much CPU time or wall time, and was ended.
    case timedOut
    /// The decoder needed more memory than it may use.
    case memoryLimit
    /// The decoder sent a reply that is malformed or not allowed. The text names the fault.
    case violatedProtocol(String)
}

extension DecoderFailure {
    func message(about subject: String) -> String {
        switch self {
        case .unavailable(let reason): "the decoder for \(subject) cannot be started: \(reason)"
        case .notLockedDown(let missing): "the decoder for \(subject) is not locked down: \(missing)"
        case .crashed(0): "the decoder of \(subject) ended unexpectedly"
        case .crashed(let signal): "the decoder of \(subject) crashed by signal \(signal)"
        case .forbiddenCall: "the decoder of \(subject) made a forbidden system call"
        case .timedOut: "the decoder of \(subject) took too long"
        case .memoryLimit: "the decoder of \(subject) needed too much memory"
        case .violatedProtocol(let fault): "the decoder of \(subject) sent an invalid reply: \(fault)"
        }
    }
}
