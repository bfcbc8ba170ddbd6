import Dispatch

/// Where the completions of a cache run: those that the caller left to it (`.untouch`) one at a time on a
/// serial queue, after the job, so that one that starts the next job never nests in the first.
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
