/// When a connection must be closed because its node does not reply, or does not finish a reply.
///
/// A value without a clock: its connection says what happens, and when.
struct ReplyTimeouts: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// How long a reply or push may take from its first byte, even if bytes arrive.
    static let total = Duration.seconds(10)
    /// Bytes of an unfinished reply that count as progress, so that a large value may take `total`.
    static let progressBytes = 1 << 16

    private struct Unfinished {
        let start: Instant
        var progress: Instant
        var bytes = 0
    }

    /// How long the node may send nothing while commands wait. An unfinished reply or push, whether or not
    /// commands wait, may stay without progress for twice as long.
    var response: Duration
    private var lastData: Instant
    private var lastReply: Instant
    private var unfinished: Unfinished?

    init(response: Duration, at now: Instant) {
        self.response = response
        (lastData, lastReply) = (now, now)
    }

    /// A command is written, and no other one waits.
    mutating func begin(at now: Instant) { (lastData, lastReply) = (now, now) }

    /// The node has read something.
    mutating func canWrite(at now: Instant) { lastData = now }

    /// - Parameters:
    ///   - completed: Whether the bytes end a reply or a push.
    ///   - isReply: Whether they end a reply.
    ///   - isUnfinished: Whether the last of them begin or continue a reply or push.
    mutating func receive(
        _ bytes: Int, completed: Bool, isReply: Bool, isUnfinished: Bool, at now: Instant
    ) {
        lastData = now
        if isReply { lastReply = now }
        if completed { unfinished = nil }
        guard isUnfinished else { return }
        var current = unfinished ?? Unfinished(start: now, progress: now)
        current.bytes += bytes
        if current.bytes >= Self.progressBytes { (current.progress, current.bytes) = (now, 0) }
        unfinished = current
    }

    /// When the connection is to be closed, unless something happens before; nil for never.
    func due(isWaiting: Bool) -> Instant? {
        let silent = isWaiting ? min(lastData + response, lastReply + response + Self.total) : nil
        let stalled = unfinished.map { min($0.progress + response * 2, $0.start + Self.total) }
        return [silent, stalled].compactMap(\.self).min()
    }
}
