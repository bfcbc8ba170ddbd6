import CCurl
import Foundation
import Synchronization

/// Resolves names with the system's `getaddrinfo`, on a few dedicated threads that end when no lookup is
/// left.
///
/// If all threads are busy, further lookups wait.
public final class SystemResolver: Resolver {
    private struct Job: Sendable {
        let host: String
        let completion: @Sendable (Result<[IPAddress], TransportError>) -> Void
    }

    private struct State {
        var waiting: [Job] = []
        var workers = 0
    }

    private let state = Mutex(State())
    private let maxWorkers: Int

    /// - Parameter maxWorkers: The maximum number of concurrent lookups.
    public init(maxWorkers: Int = 16) {
        self.maxWorkers = max(1, maxWorkers)
    }

    public func resolve(
        _ host: String, completion: @escaping @Sendable (Result<[IPAddress], TransportError>) -> Void
    ) {
        let needsWorker = state.withLock { state in
            state.waiting.append(Job(host: host, completion: completion))
            guard state.workers < maxWorkers else { return false }
            state.workers += 1
            return true
        }
        guard needsWorker else { return }
        let worker = Thread { [self] in work() }
        worker.stackSize = 256 << 10
        worker.start()
    }

    private func work() {
        kf_name_this_thread("kf-resolver")
        while let job = nextJob() {
            job.completion(Self.lookUp(job.host))
        }
    }

    /// The next job. Without one, removes the calling worker in the same step, so that no job is missed.
    private func nextJob() -> Job? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.workers -= 1
                return nil
            }
            return state.waiting.removeFirst()
        }
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
            let characters = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            if let address = IPAddress(String(decoding: characters, as: UTF8.self)),
                !addresses.contains(address)
            {
                addresses.append(address)
            }
        }
        return addresses.isEmpty ? .failure(.resolve("\(host) has no address")) : .success(addresses)
    }
}
