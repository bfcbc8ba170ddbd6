/// How short of memory the machine is.
///
/// Linux tells a program nothing by itself: one with a GLib main loop calls `MemoryPressure.followGIO()` of
/// `KingfisherGTK`, any other posts what it learns (from `/proc/pressure/memory`, say) itself.
public enum MemoryPressure: Int, Comparable, CaseIterable, Sendable {
    /// Memory is not plentiful: what is cheap to make again should go.
    case low
    /// Memory is short, and the system has begun to slow down.
    case medium
    /// The system is about to end programs: whatever is not in use should go.
    case critical

    public static func < (lhs: MemoryPressure, rhs: MemoryPressure) -> Bool { lhs.rawValue < rhs.rawValue }

    /// Has every registered responder give memory back, on this thread and in the order of their
    /// registration.
    public static func post(_ level: MemoryPressure) {
        MemoryPressureResponders.shared.post(level)
    }

    /// Adds a responder, which is held weakly; one that is registered twice is asked twice.
    public static func register(_ responder: any MemoryPressureResponder) {
        MemoryPressureResponders.shared.register(responder)
    }
}

/// What can give memory back when the system runs short of it. Every `ImageCache` is one.
public protocol MemoryPressureResponder: AnyObject, Sendable {
    /// Gives back what `level` calls for. Called on any thread; should return soon.
    func relieve(_ level: MemoryPressure)
}
