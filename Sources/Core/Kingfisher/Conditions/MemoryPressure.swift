/// The level of memory pressure of the machine.
///
/// Linux does not notify processes by itself. A program with a GLib main loop calls
/// `MemoryPressure.followGIO()` of `KingfisherGTK`; others call `post(_:)`, for example based on
/// `/proc/pressure/memory`.
public enum MemoryPressure: Int, Comparable, CaseIterable, Sendable {
    /// Memory is getting low: release what is cheap to recreate.
    case low
    /// Memory is low, and the system is slowing down.
    case medium
    /// The system is about to kill processes: release everything that is not in use.
    case critical

    public static func < (lhs: MemoryPressure, rhs: MemoryPressure) -> Bool { lhs.rawValue < rhs.rawValue }

    /// Calls every registered responder, on this thread and in the order of registration.
    public static func post(_ level: MemoryPressure) {
        MemoryPressureResponders.shared.post(level)
    }

    /// Adds a responder, which is held weakly. A responder registered twice is called twice.
    public static func register(_ responder: any MemoryPressureResponder) {
        MemoryPressureResponders.shared.register(responder)
    }
}

/// An object that can release memory under memory pressure. Every `ImageCache` is one.
public protocol MemoryPressureResponder: AnyObject, Sendable {
    /// Releases memory according to `level`. Called on any thread; must return quickly.
    func relieve(_ level: MemoryPressure)
}
