import Synchronization

/// Hears of what happens inside the library, for logs and figures.
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
/// The package `Extensions/Logging` has an observer that writes to swift-log.
public protocol KingfisherEventObserver: AnyObject, Sendable {
    /// Called on any thread, in the middle of the work: it returns quickly, and blocks nobody.
    func kingfisher(didReport event: KingfisherEvent)
}

/// Where observers of events register, for the whole process.
///
/// While nobody observes, an event costs one relaxed load and is not even made.
public enum KingfisherEvents {
    private static let count = Atomic<Int>(0)
    private static let observers = Mutex<[any KingfisherEventObserver]>([])

    /// Reports events to `observer` until it is removed; it is held. One that is registered already is not
    /// again.
    public static func add(_ observer: any KingfisherEventObserver) {
        observers.withLock { observers in
            guard !observers.contains(where: { $0 === observer }) else { return }
            observers.append(observer)
            count.store(observers.count, ordering: .relaxed)
        }
    }

    /// Reports nothing more to `observer`, but for events that are on their way.
    public static func remove(_ observer: any KingfisherEventObserver) {
        observers.withLock { observers in
            observers.removeAll { $0 === observer }
            count.store(observers.count, ordering: .relaxed)
        }
    }

    static var isObserved: Bool { count.load(ordering: .relaxed) > 0 }

    /// Makes an event for those who observe.
    static func report(_ event: @autoclosure () -> KingfisherEvent) {
        guard isObserved else { return }
        let observers = observers.withLock { $0 }
        guard !observers.isEmpty else { return }
        let event = event()
        for observer in observers { observer.kingfisher(didReport: event) }
    }
}
