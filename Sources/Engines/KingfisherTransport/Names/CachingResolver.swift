import KingfisherConcurrency
import Synchronization

/// Caches the results of another resolver, and coalesces concurrent lookups of the same name.
///
/// Failures are not cached. Names are case-insensitive.
public final class CachingResolver: Resolver {
    private let base: any Resolver
    private let cache: Mutex<ResolverCache>
    private let lookups = SingleFlight<String, Result<[IPAddress], TransportError>>(
        abandoned: .failure(.resolve("the resolver did not complete")))
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - lifetime: How long a result is cached. `getaddrinfo` does not report the record's time to live.
    ///   - now: The current time. Tests replace it.
    public init(
        _ base: any Resolver = SystemResolver(), lifetime: Duration = .seconds(30),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.base = base
        self.now = now
        cache = Mutex(ResolverCache(lifetime: lifetime))
    }

    public func resolve(
        _ host: String, completion: @escaping @Sendable (Result<[IPAddress], TransportError>) -> Void
    ) {
        let name = host.lowercased()
        if let known = addresses(of: name) { return completion(.success(known)) }
        lookups.run(name) { [self] leader in
            // Another lookup may just have finished.
            if let known = addresses(of: name) { return leader.complete(.success(known), keeping: .none) }
            base.resolve(name) { [self] result in
                if case .success(let addresses) = result {
                    let time = now()
                    cache.withLock { $0.insert(addresses, for: name, at: time) }
                }
                leader.complete(result, keeping: .none)
            }
        } completion: {
            completion($0)
        }
    }

    private func addresses(of name: String) -> [IPAddress]? {
        let time = now()
        return cache.withLock { $0.addresses(of: name, at: time) }
    }
}
