import CCurl
import Foundation
import Synchronization

/// Resolves names with the system's `getaddrinfo`, on a few dedicated threads that end when no lookup is
/// left.
///
/// If all threads are busy, further lookups wait. A lookup whose name server is silent takes as long as the
/// system waits, so names of one zone get at most a quarter of the threads, and half of the threads are for
/// zones without a running lookup. At most 4,096 lookups wait, at most a quarter of them for one zone; more
/// fail.
public final class SystemResolver: Resolver {
    private struct Job: Sendable {
        let host: String
        let completion: @Sendable (Result<[IPAddress], TransportError>) -> Void
    }

    private struct State {
        var order: TransferOrder
        var waiting: [TransferOrder.ID: Job] = [:]
        var arrivals: UInt64 = 0
        var workers = 0
    }

    /// The maximum number of waiting lookups.
    static let maxWaiting = 4_096

    private let state: Mutex<State>
    private let maxWorkers: Int
    private let lookUp: @Sendable (String) -> Result<[IPAddress], TransportError>

    /// - Parameter maxWorkers: The maximum number of concurrent lookups.
    public convenience init(maxWorkers: Int = 16) {
        self.init(maxWorkers: maxWorkers, lookUp: Self.lookUp)
    }

    init(
        maxWorkers: Int, lookUp: @escaping @Sendable (String) -> Result<[IPAddress], TransportError>
    ) {
        let count = max(1, maxWorkers)
        self.maxWorkers = count
        self.lookUp = lookUp
        var limits = QueuedTransport.Limits()
        (limits.reserve, limits.perHost) = (count / 2, max(1, count / 4))
        limits.total = count - limits.reserve
        state = Mutex(State(order: TransferOrder(limits)))
    }

    public func resolve(
        _ host: String, completion: @escaping @Sendable (Result<[IPAddress], TransportError>) -> Void
    ) {
        let zone = Self.zone(of: host)
        let needsWorker = state.withLock { state -> Bool? in
            guard state.order.mayWait(at: zone, limit: Self.maxWaiting) else { return nil }
            state.arrivals += 1
            let rank = TransferOrder.Rank(priority: 0.5, arrival: state.arrivals)
            let id = state.order.enqueue(at: zone, rank, isLimited: true)
            state.waiting[id] = Job(host: host, completion: completion)
            guard state.workers < maxWorkers else { return false }
            state.workers += 1
            return true
        }
        guard let needsWorker else {
            return completion(.failure(.resolve("\(host): too many lookups wait")))
        }
        guard needsWorker else { return }
        let worker = Thread { [self] in work() }
        worker.stackSize = 256 << 10
        worker.start()
    }

    private func work() {
        kf_name_this_thread("kf-resolver")
        var last: TransferOrder.ID?
        while let (id, job) = nextJob(after: last) {
            job.completion(lookUp(job.host))
            last = id
        }
    }

    /// The next job. Without one, removes the calling worker in the same step, so that no job is missed.
    private func nextJob(after last: TransferOrder.ID?) -> (TransferOrder.ID, Job)? {
        state.withLock { state in
            if let last { state.order.finish(last, isMultiplexed: nil) }
            guard let id = state.order.next(), let job = state.waiting.removeValue(forKey: id) else {
                state.workers -= 1
                return nil
            }
            return (id, job)
        }
    }

    /// The last two labels of a name; three if two look like the suffix of a registry. Unrelated names under
    /// other suffixes share the threads of one zone.
    private static func zone(of host: String) -> Origin {
        let labels = host.lowercased().split(separator: ".").suffix(3)
        let zone = labels.suffix(2).joined(separator: ".")
        let isSuffix = CookieSetting.isLikeSuffix(zone)
        return Origin(scheme: "dns", host: isSuffix ? labels.joined(separator: ".") : zone, port: 53)
    }

    private static func lookUp(_ host: String) -> Result<[IPAddress], TransportError> {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        guard code == 0 else {
            let reason = TransportError.resolve("\(host): \(String(cString: gai_strerror(code)))")
            return .failure(.descriptorShortage ?? reason)
        }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
            guard let info = entry?.pointee,
                getnameinfo(
                    info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let characters = text.prefix { $0 != 0 }.map { UInt8(truncatingIfNeeded: $0) }
            if let address = IPAddress(String(decoding: characters, as: UTF8.self)),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
        }
        return addresses.isEmpty ? .failure(.resolve("\(host) has no address")) : .success(addresses)
    }
}
