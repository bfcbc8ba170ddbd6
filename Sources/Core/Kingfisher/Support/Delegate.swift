import Synchronization

/// A closure with a weakly held target, so that it cannot cause a reference cycle.
///
/// A delegate can have one synchronous and one asynchronous closure. Safe from any thread. The synchronous
/// closure runs on the caller's thread.
public final class Delegate<Input, Output>: Sendable {
    private struct Slots: Sendable {
        var block: (@Sendable (Input) -> Output?)?
        var asyncBlock: (@Sendable (Input) async -> Output?)?
    }

    private let slots: Mutex<Slots>

    /// Makes a delegate without closures.
    public init() { slots = Mutex(Slots()) }

    private init(_ slots: Slots) { self.slots = Mutex(slots) }

    /// Sets the synchronous closure, which gets `target`; nil removes it.
    public func delegate<T: AnyObject>(on target: T, block: (@Sendable (T, Input) -> Output)?) {
        guard let block else { return slots.withLock { $0.block = nil } }
        let weak = WeakReference(target)
        let bound: @Sendable (Input) -> Output? = { input in
            weak.object.map { block($0, input) }
        }
        slots.withLock { $0.block = bound }
    }

    /// Sets the asynchronous closure, which gets `target`; nil removes it.
    public func delegate<T: AnyObject>(on target: T, block: (@Sendable (T, Input) async -> Output)?) {
        guard let block else { return slots.withLock { $0.asyncBlock = nil } }
        let weak = WeakReference(target)
        let bound: @Sendable (Input) async -> Output? = { input in
            guard let target = weak.object else { return nil }
            return await block(target, input)
        }
        slots.withLock { $0.asyncBlock = bound }
    }

    /// Sets a synchronous closure without a target, which lives as long as the delegate and its copies; nil
    /// removes it.
    func set(_ block: (@Sendable (Input) -> Output)?) {
        slots.withLock { $0.block = block }
    }

    /// Returns a delegate with the closures and targets of this one.
    func copy() -> Delegate {
        Delegate(slots.withLock { $0 })
    }

    /// Calls the synchronous closure. Returns nil if it is not set or its target was released.
    public func call(_ input: Input) -> Output? {
        slots.withLock(\.block)?(input)
    }

    /// Calls the synchronous closure. Returns nil if it is not set or its target was released.
    public func callAsFunction(_ input: Input) -> Output? {
        call(input)
    }

    /// Calls the asynchronous closure. Returns nil if it is not set or its target was released.
    public func callAsync(_ input: Input) async -> Output? {
        await slots.withLock(\.asyncBlock)?(input)
    }

    /// Whether either closure is set.
    public var isSet: Bool {
        slots.withLock { $0.block != nil || $0.asyncBlock != nil }
    }
}

/// A weak reference that sendable closures can capture.
///
/// Unchecked: the runtime loads weak references atomically, and this one is never changed.
private final class WeakReference<T: AnyObject>: @unchecked Sendable {
    private(set) weak var object: T?

    init(_ object: T) {
        self.object = object
    }
}

extension Delegate where Input == Void {
    /// Calls the synchronous closure.
    public func call() -> Output? { call(()) }
    /// Calls the synchronous closure.
    public func callAsFunction() -> Output? { call(()) }
}

extension Delegate where Input == Void, Output: OptionalProtocol {
    /// Calls the synchronous closure. Returns nil if it is not set.
    public func call() -> Output { call(()) }
    /// Calls the synchronous closure. Returns nil if it is not set.
    public func callAsFunction() -> Output { call(()) }
}

extension Delegate where Output: OptionalProtocol {
    /// Calls the synchronous closure. Returns nil if it is not set.
    public func call(_ input: Input) -> Output {
        let result: Output? = call(input)
        return result ?? Output._createNil
    }

    /// Calls the synchronous closure. Returns nil if it is not set.
    public func callAsFunction(_ input: Input) -> Output { call(input) }
}

/// An optional type. A delegate with an optional output returns that type, not an optional of it.
public protocol OptionalProtocol {
    /// The nil value.
    static var _createNil: Self { get }
}

extension Optional: OptionalProtocol {
    public static var _createNil: Wrapped? { nil }
}
