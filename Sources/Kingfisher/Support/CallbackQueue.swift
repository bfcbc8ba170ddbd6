public import Dispatch
public import Foundation

/// Another name of `CallbackQueue`, for queues that work rather than call back.
public typealias ExecutionQueue = CallbackQueue

/// Where a closure runs.
public enum CallbackQueue: Sendable {
    /// Asynchronously on the main queue.
    case mainAsync
    /// At once when the caller is on the main thread or the main queue, asynchronously on the main queue
    /// otherwise.
    case mainCurrentOrAsync
    /// At once on whatever thread the caller is on.
    case untouch
    /// Asynchronously on a dispatch queue.
    case dispatch(DispatchQueue)
    /// As an operation of an operation queue.
    case operationQueue(any CallbackOperationQueue)

    /// Whether blocks run on the main queue, whatever the caller's.
    var isMain: Bool {
        switch self {
        case .mainAsync, .mainCurrentOrAsync: true
        case .untouch, .dispatch, .operationQueue: false
        }
    }

    /// Whether a block that is executed here runs before `execute` returns.
    var isImmediate: Bool {
        switch self {
        case .untouch: true
        case .mainCurrentOrAsync: MainQueue.isCurrent
        case .mainAsync, .dispatch, .operationQueue: false
        }
    }

    /// Runs `block` there. It runs exactly once.
    public func execute(_ block: @Sendable @escaping () -> Void) {
        switch self {
        case .mainAsync: DispatchQueue.main.async(execute: block)
        case .mainCurrentOrAsync:
            if MainQueue.isCurrent { block() } else { DispatchQueue.main.async(execute: block) }
        case .untouch: block()
        case .dispatch(let queue): queue.async(execute: block)
        case .operationQueue(let queue): queue.addOperation(block)
        }
    }
}

/// An operation queue as `CallbackQueue` sees it.
public protocol CallbackOperationQueue: AnyObject, Sendable {
    /// The dispatch queue below, if one was set.
    var underlyingQueue: DispatchQueue? { get }
    /// Adds `block` as an operation.
    func addOperation(_ block: @Sendable @escaping () -> Void)
}

extension OperationQueue: CallbackOperationQueue {}
