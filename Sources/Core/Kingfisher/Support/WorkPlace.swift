import KingfisherConcurrency
import KingfisherTransport

/// Where the work of a request continues after it has waited.
enum WorkPlace: Sendable {
    case queue(CallbackQueue)
    /// At the end of the transport's round.
    case deliveries(DeliveryQueue)
    /// After earlier jobs of a key.
    case key(String, KeyedQueue)

    func run(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue):
            if queue.isImmediate { LoopIteration.endEarly() }
            queue.execute(work)
        case .deliveries(let queue): queue.add(work)
        case .key(let key, let queue): queue.run(key: key, work)
        }
    }
}
