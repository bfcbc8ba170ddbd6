import Synchronization

/// Receives the events of the library, for logs and metrics.
///
///     import Synchronization
///
///     final class HitCounter: KingfisherEventObserver {
///         let hits = Atomic<Int>(0)
///
///         func kingfisher(didReport event: KingfisherEvent) {
///             if case .requestFinished(_, .memory, _) = event { hits.add(1, ordering: .relaxed) }
///         }
///     }
///
///     KingfisherEvents.add(HitCounter())
///
/// The packages `Extensions/Logging` and `Extensions/Metrics` have observers for swift-log and swift-metrics.
public protocol KingfisherEventObserver: AnyObject, Sendable {
    /// Called on any thread, synchronously during the work. Return quickly, and do not block.
    func kingfisher(didReport event: KingfisherEvent)
}

/// The registry of event observers, for the whole process.
///
/// Without observers, an event costs one relaxed atomic load and is not constructed.
public enum KingfisherEvents {
    private static let count = Atomic<Int>(0)
    private static let observers = Mutex<[any KingfisherEventObserver]>([])

    /// Registers an observer, which is retained until it is removed. Registering it again has no effect.
    public static func add(_ observer: any KingfisherEventObserver) {
        observers.withLock { observers in
            guard !observers.contains(where: { $0 === observer }) else { return }
            observers.append(observer)
            count.store(observers.count, ordering: .relaxed)
        }
    }

    /// Removes an observer. Events that are being reported on other threads may still reach it.
    public static func remove(_ observer: any KingfisherEventObserver) {
        observers.withLock { observers in
            observers.removeAll { $0 === observer }
            count.store(observers.count, ordering: .relaxed)
        }
    }

    static var isObserved: Bool { count.load(ordering: .relaxed) > 0 }

    /// Also called by the other modules of the package.
    package static func report(_ event: @autoclosure () -> KingfisherEvent) {
        guard isObserved else { return }
        let observers = observers.withLock { $0 }
        guard !observers.isEmpty else { return }
        let event = event()
        for observer in observers { observer.kingfisher(didReport: event) }
    }
}
