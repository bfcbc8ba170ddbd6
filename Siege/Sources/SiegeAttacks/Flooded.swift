import Foundation
import KingfisherTestSupport
import Synchronization

/// A request that waits for its response on a separate thread.
final class Flooded: Sendable {
    private struct State {
        var reply: AttackClient.Reply?
        var isAnswered = false
    }

    private let state = Mutex(State())
    private let threads = DispatchGroup()

    init(_ port: Int, _ target: String) {
        threads.enter()
        Thread.detachNewThread { [self] in
            var reply: AttackClient.Reply?
            if let client = try? AttackClient(port: port) {
                client.send(target)
                reply = client.reply(within: .seconds(60))
            }
            state.withLock { ($0.reply, $0.isAnswered) = (reply, true) }
            threads.leave()
        }
    }

    var isAnswered: Bool { state.withLock { $0.isAnswered } }
    var reply: AttackClient.Reply? { state.withLock { $0.reply } }
}
