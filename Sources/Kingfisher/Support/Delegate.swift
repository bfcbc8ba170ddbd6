import Synchronization

/// A closure slot that holds its target weakly, so that setting it never makes a reference cycle.
///
/// There is one slot for a synchronous and one for an asynchronous closure. Safe from any thread; the closure
/// runs on the thread of the call.
public final class Delegate<Input, Output>: Sendable {
    private struct Slots: Sendable {
        var block: (@Sendable (Input) -> Output?)?
        var asyncBlock: (@Sendable (Input) async -> Output?)?
    }

    private let slots = Mutex(Slots())

    /// Makes an empty slot.
    public init() {}

    /// Sets the synchronous closure; it gets `target` for as long as that lives.
    public func delegate<T: AnyObject>(on target: T, block: (@Sendable (T, Input) -> Output)?) {
        guard let block else { return slots.withLock { $0.block = nil } }
        let weak = WeakReference(target)
        let bound: @Sendable (Input) -> Output? = { input in
            weak.object.map { block($0, input) }
        }
        slots.withLock { $0.block = bound }
    }

    /// Sets the asynchronous closure; it gets `target` for as long as that lives.
    public func delegate<T: AnyObject>(on target: T, block: (@Sendable (T, Input) async -> Output)?) {
        guard let block else { return slots.withLock { $0.asyncBlock = nil } }
        let weak = WeakReference(target)
        let bound: @Sendable (Input) async -> Output? = { input in
            guard let target = weak.object else { return nil }
            return await block(target, input)
        }
        slots.withLock { $0.asyncBlock = bound }
    }

    /// Calls the synchronous closure; nil when there is none or its target is gone.
    public func call(_ input: Input) -> Output? {
        slots.withLock(\.block)?(input)
    }

    /// Calls the synchronous closure; nil when there is none or its target is gone.
    public func callAsFunction(_ input: Input) -> Output? {
        call(input)
    }

    /// Calls the asynchronous closure; nil when there is none or its target is gone.
    public func callAsync(_ input: Input) async -> Output? {
        await slots.withLock(\.asyncBlock)?(input)
    }

    /// Whether either closure is set.
    public var isSet: Bool {
        slots.withLock { $0.block != nil || $0.asyncBlock != nil }
    }
}

/// A weak reference that can be captured by a sendable closure.
///
/// Unchecked: the runtime makes loads of a weak reference atomic, and it is never stored to again.
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
    /// Calls the synchronous closure; nil when there is none.
    public func call() -> Output { call(()) }
    /// Calls the synchronous closure; nil when there is none.
    public func callAsFunction() -> Output { call(()) }
}

extension Delegate where Output: OptionalProtocol {
    /// Calls the synchronous closure; nil when there is none.
    public func call(_ input: Input) -> Output {
        let result: Output? = call(input)
        return result ?? Output._createNil
    }

    /// Calls the synchronous closure; nil when there is none.
    public func callAsFunction(_ input: Input) -> Output { call(input) }
}

/// A type whose values can be absent; keeps results of optional delegates flat.
public protocol OptionalProtocol {
    /// The absent value.
    static var _createNil: Self { get }
}

extension Optional: OptionalProtocol {
    public static var _createNil: Wrapped? { nil }
}
