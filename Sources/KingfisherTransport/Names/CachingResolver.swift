import Synchronization

/// Remembers what another resolver found, and asks it once for callers that want the same name at the same
/// time.
///
/// Failures are not remembered. Names are compared without regard to case.
public final class CachingResolver: Resolver {
    private struct State {
        var cache: ResolverCache
        var waiting: [String: [@Sendable (Result<[IPAddress], TransportError>) -> Void]] = [:]
    }

    private let base: any Resolver
    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - lifetime: How long an answer is used. `getaddrinfo` does not tell the record's own lifetime.
    ///   - now: The time, for tests.
    public init(
        _ base: any Resolver = SystemResolver(), lifetime: Duration = .seconds(30),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.base = base
        self.now = now
        state = Mutex(State(cache: ResolverCache(lifetime: lifetime)))
    }

    public func resolve(
        _ host: String, completion: @escaping @Sendable (Result<[IPAddress], TransportError>) -> Void
    ) {
        enum Step { case answer([IPAddress]), ask, join }
        let name = host.lowercased()
        let time = now()
        let step: Step = state.withLock { state in
            if let known = state.cache.addresses(of: name, at: time) { return .answer(known) }
            let isFirst = state.waiting[name] == nil
            state.waiting[name, default: []].append(completion)
            return isFirst ? .ask : .join
        }
        switch step {
        case .answer(let known): completion(.success(known))
        case .ask: base.resolve(name) { [self] in finish(name, $0) }
        case .join: break
        }
    }

    private func finish(_ name: String, _ result: Result<[IPAddress], TransportError>) {
        let time = now()
        let callers = state.withLock { state in
            if case .success(let addresses) = result { state.cache.insert(addresses, for: name, at: time) }
            return state.waiting.removeValue(forKey: name) ?? []
        }
        for caller in callers { caller(result) }
    }
}
