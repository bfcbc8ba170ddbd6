public import Foundation
import Synchronization

/// Knows whether and on which terms the machine is online, as far as somebody tells it. Safe from any thread.
///
/// Without a source it takes the machine for online, and every network for free and unlimited. A program with
/// a GLib main loop calls `NetworkMonitor.shared.followGIO()` of `KingfisherGTK`; any other may set a source
/// of its own.
public final class NetworkMonitor: Sendable {
    /// The monitor that loads ask.
    public static let shared = NetworkMonitor()

    private struct State: Sendable {
        var source: (any NetworkConditionSource)?
        /// Those that wait for the machine to be online.
        var observers: [ObjectIdentifier: NetworkObserver] = [:]
    }

    private let state = Mutex(State())
    let timer: any DelayTimer

    /// Makes a monitor without a source.
    public convenience init() {
        self.init(timer: DispatchDelayTimer())
    }

    package init(timer: any DelayTimer) {
        self.timer = timer
    }

    /// What the monitor asks; nil for none.
    public var source: (any NetworkConditionSource)? {
        get { state.withLock(\.source) }
        set {
            // Released outside the lock: it may be the last reference to something of the user's.
            let old = state.withLock { state in
                defer { state.source = newValue }
                return state.source
            }
            withExtendedLifetime(old) {}
            newValue?.observeChanges { [weak self] in self?.notifyIfConnected() }
            notifyIfConnected()
        }
    }

    /// Whether traffic costs money or counts against a limit, so that loads take their `lowDataMode` source.
    public var isMetered: Bool { source?.isMetered ?? false }

    /// Whether the machine is online.
    public var isConnected: Bool { source?.isConnected ?? true }

    /// Waits for the machine to be online, and tells `callback` on the main queue, once.
    ///
    /// It gets true when the machine is online, also if it is already, and false when that takes longer than
    /// `timeoutInterval` seconds; with nil it waits as long as it takes. A cancelled observer is told
    /// nothing. The monitor holds the observer while it waits.
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

    /// Notifies `observer` when the machine is online, at once if it is.
    func add(_ observer: NetworkObserver) {
        state.withLock { $0.observers[ObjectIdentifier(observer)] = observer }
        // Asked after it was added: a change in between is not missed.
        notifyIfConnected()
    }

    func remove(_ observer: NetworkObserver) {
        let removed = state.withLock { $0.observers.removeValue(forKey: ObjectIdentifier(observer)) }
        withExtendedLifetime(removed) {}
    }

    /// How many observers wait.
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
