public import Dispatch
public import Foundation

/// Another name of `CallbackQueue`, for queues that run work instead of callbacks.
public typealias ExecutionQueue = CallbackQueue

/// Where a closure runs.
public enum CallbackQueue: Sendable {
    /// Asynchronously on the main queue.
    case mainAsync
    /// Synchronously if the caller is on the main thread or the main queue, otherwise asynchronously on the
    /// main queue.
    case mainCurrentOrAsync
    /// Synchronously on the caller's thread.
    case untouch
    /// Asynchronously on a dispatch queue.
    case dispatch(DispatchQueue)
    /// As an operation of an operation queue.
    case operationQueue(any CallbackOperationQueue)

    var isMain: Bool {
        switch self {
        case .mainAsync, .mainCurrentOrAsync: true
        case .untouch, .dispatch, .operationQueue: false
        }
    }

    /// Whether `execute`, called now, runs its block before it returns.
    var isImmediate: Bool {
        switch self {
        case .untouch: true
        case .mainCurrentOrAsync: MainQueue.isCurrent
        case .mainAsync, .dispatch, .operationQueue: false
        }
    }

    /// Runs `block` exactly once on this queue.
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

/// The part of `OperationQueue` that `CallbackQueue` uses.
public protocol CallbackOperationQueue: AnyObject, Sendable {
    /// The dispatch queue that runs the operations, if one was set.
    var underlyingQueue: DispatchQueue? { get }
    /// Adds `block` as an operation.
    func addOperation(_ block: @Sendable @escaping () -> Void)
}

extension OperationQueue: CallbackOperationQueue {}
