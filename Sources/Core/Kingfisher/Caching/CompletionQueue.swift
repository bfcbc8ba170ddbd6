import Dispatch

/// Runs the completion handlers of a cache.
///
/// Handlers with the queue `.untouch` run on a serial queue, after the job. So a handler that starts the next
/// job does not run inside the first one.
struct CompletionQueue: Sendable {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

    func run(on callbackQueue: CallbackQueue, _ completion: @escaping @Sendable () -> Void) {
        if case .untouch = callbackQueue {
            queue.async(execute: completion)
        } else {
            callbackQueue.execute(completion)
        }
    }
}
