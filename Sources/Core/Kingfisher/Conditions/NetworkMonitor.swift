import KingfisherConcurrency
public import Foundation
import Synchronization

/// Monitors whether the machine is online and whether the connection is metered. Safe from any thread.
///
/// Without a source, it assumes that the machine is online and the connection is not metered. A program with
/// a GLib main loop calls `NetworkMonitor.shared.followGIO()` of `KingfisherGTK`; others may set a custom
/// source.
public final class NetworkMonitor: Sendable {
    /// The monitor that loads use.
    public static let shared = NetworkMonitor()

    private struct State: Sendable {
        var source: (any NetworkConditionSource)?
        var observers: [ObjectIdentifier: NetworkObserver] = [:]
    }

    private let state = Mutex(State())
    let timer: any DelayTimer

    /// Creates a monitor without a source.
    public convenience init() {
        self.init(timer: DispatchDelayTimer())
    }

    package init(timer: any DelayTimer) {
        self.timer = timer
    }

    /// The source of the network state; nil for none.
    public var source: (any NetworkConditionSource)? {
        get { state.withLock(\.source) }
        set {
            state.set(\.source, to: newValue)
            newValue?.observeChanges { [weak self] in self?.notifyIfConnected() }
            notifyIfConnected()
        }
    }

    /// Whether the connection is metered, so that loads use their `lowDataMode` source.
    public var isMetered: Bool { source?.isMetered ?? false }

    /// Whether the machine is online.
    public var isConnected: Bool { source?.isConnected ?? true }

    /// Waits for the machine to be online, and calls `callback` once, on the main queue.
    ///
    /// The argument is true if the machine is or goes online, and false after `timeoutInterval` seconds; nil
    /// means no timeout. A cancelled observer calls nothing. The monitor holds the observer while it waits.
    @discardableResult
    public func observeConnectivity(
        timeoutInterval: TimeInterval?, callback: @escaping @Sendable (Bool) -> Void
    ) -> NetworkObserver {
        let observer = NetworkObserver(monitor: self, queue: .mainAsync) { _, isConnected in
            callback(isConnected)
        }
        observer.start(timeoutInterval: timeoutInterval)
        return observer
    }

    func add(_ observer: NetworkObserver) {
        state.withLock { $0.observers[ObjectIdentifier(observer)] = observer }
        // Checked after adding, so that no change is missed.
        notifyIfConnected()
    }

    func remove(_ observer: NetworkObserver) {
        state.release { $0.observers.removeValue(forKey: ObjectIdentifier(observer)) }
    }

    package var waitingObservers: Int { state.withLock(\.observers.count) }

    private func notifyIfConnected() {
        guard isConnected else { return }
        let observers = state.withLock { state in
            defer { state.observers = [:] }
            return state.observers.values
        }
        for observer in observers { observer.notify(isConnected: true) }
    }
}
