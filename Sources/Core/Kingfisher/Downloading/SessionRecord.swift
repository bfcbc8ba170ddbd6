import Foundation
import FoundationNetworking
import KingfisherTransport
import Synchronization

/// The state of one transfer, shared by a `SessionDataTask` and its `URLSessionDataTask` facade, which may
/// outlive each other. Safe from any thread.
final class SessionRecord: Sendable {
    private static let lastIdentifier = Atomic<Int>(0)

    let request: URLRequest
    let identifier: Int
    private let state: Mutex<TransferState>

    init(_ request: URLRequest, priority: Float, downloader: ImageDownloader?) {
        self.request = request
        identifier = Self.lastIdentifier.add(1, ordering: .relaxed).newValue
        state = Mutex(TransferState(priority: priority, downloader: downloader))
    }

    /// Calls `event` under the lock.
    func update<Step: Sendable>(_ event: (inout TransferState) -> Step) -> Step {
        state.withLock { event(&$0) }
    }

    var taskState: URLSessionTask.State {
        switch update(\.phase) {
        case .waiting: .suspended
        case .running: .running
        case .delivering, .over: .completed
        }
    }

    /// - Parameter change: Returns the new priority of the transfer; nil if it does not change.
    func changePriority(_ change: (inout TransferState) -> Float?) {
        let changed = update { state -> (any TransportTask, Float)? in
            guard let priority = change(&state), let transfer = state.transfer else { return nil }
            return (transfer, priority)
        }
        if let (transfer, priority) = changed { transfer.setPriority(priority) }
    }
}
