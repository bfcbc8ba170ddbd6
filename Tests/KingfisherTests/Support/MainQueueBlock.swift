import Dispatch

/// Holds up the main queue until it is ended, or for fifteen seconds.
///
/// For a process of its own: in a run of many tests everybody else would wait for the main queue, too.
struct MainQueueBlock: Sendable {
    /// Whether it was ended, rather than that its time ran out; there is none while it holds.
    let wasReleased = Inbox<Bool>()
    private let latch = Latch()

    /// Returns when the main queue stands.
    init() async throws {
        let blocked = Inbox<Void>()
        DispatchQueue.main.async { [wasReleased, latch] in
            blocked.put()
            wasReleased.put(latch.wait(upTo: 15))
        }
        _ = try await blocked.first(1)
    }

    var isHolding: Bool { wasReleased.count == 0 }

    func end() { latch.open() }
}
