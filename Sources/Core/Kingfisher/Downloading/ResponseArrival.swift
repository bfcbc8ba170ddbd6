import Foundation
import FoundationNetworking
import KingfisherConcurrency
import KingfisherStorage
import KingfisherTransport
import Synchronization

/// A response with the inputs of its freshness calculation. Its arrival time is the same for all callers,
/// independent of the time for its body and decoding.
final class ResponseArrival: Sendable {
    let response: TransportResponse
    let metrics: NetworkMetrics?
    private let request: URLRequest?
    private let redirects: [TransportResponse]
    private let startTime: ContinuousClock.Instant
    private let hadCredentials: Bool
    private let times = Mutex<Times?>(nil)
    private let declaredPrivate = Mutex<Bool?>(nil)
    private let sharedRenewals = Mutex<SingleFlight<FileRenewal, Void>?>(nil)

    /// Inputs of the age calculation (RFC 9111, 4.2.3).
    private struct Times {
        let response: Date
        let delay: TimeInterval
        let redirects: [HTTPFreshness.Redirect]
    }

    /// `startTime` is when the request was sent, if the transport does not report it. `hadCredentials` comes
    /// from the transport's metrics.
    init(
        _ response: TransportResponse, to request: URLRequest?, through redirects: [TransportResponse] = [],
        startedAt startTime: ContinuousClock.Instant, hadCredentials: Bool = false,
        metrics: NetworkMetrics? = nil
    ) {
        self.response = response
        self.metrics = metrics
        self.request = request
        self.redirects = redirects
        self.startTime = startTime
        self.hadCredentials = hadCredentials
    }

    /// Whether the bytes are for one user, so that they must not reach a tier.
    var isPrivate: Bool { hadCredentials || isDeclaredPrivate }

    /// Whether the response, or a redirect to it, has `Cache-Control: private`.
    var isDeclaredPrivate: Bool {
        declaredPrivate.withLock { known in
            if let known { return known }
            let isPrivate = (redirects + [response]).contains { response in
                response.value(forField: "Cache-Control").map(CacheDirectives.isPrivate) ?? false
            }
            known = isPrivate
            return isPrivate
        }
    }

    /// Coalesces the renewal of cached files after a 304, for all callers. Made on first use, because few
    /// responses need it.
    var renewals: SingleFlight<FileRenewal, Void> {
        sharedRenewals.withLock { shared in
            if let shared { return shared }
            let made = SingleFlight<FileRenewal, Void>(abandoned: ())
            shared = made
            return made
        }
    }

    /// The freshness record of the response. The clock of the first call determines the arrival time.
    ///
    /// - Parameter rule: The rule of the manager. URLs to which it gives the same key are one resource.
    func freshness(by clock: any StorageClock, _ rule: CacheKeyRule?) -> HTTPFreshness {
        let times = times(by: clock)
        return HTTPFreshness(
            response, to: request?.httpMethod ?? "GET", accept: accept, delay: times.delay,
            at: times.response, resourceKey: resourceKey(by: rule)
        ).limited(by: times.redirects)
    }

    /// `old` updated by this 304; nil if the 304 is for other content.
    func confirmation(
        of old: HTTPFreshness, by clock: any StorageClock, _ rule: CacheKeyRule?
    ) -> HTTPFreshness? {
        let times = times(by: clock)
        return old.confirmed(
            by: response, accept: accept, delay: times.delay, at: times.response,
            resourceKey: resourceKey(by: rule)
        )?.limited(by: times.redirects)
    }

    private func resourceKey(by rule: CacheKeyRule?) -> String? {
        guard let rule, let url = response.url else { return nil }
        return Source.network(url).keyed(by: rule)?.cacheKey
    }

    private var accept: String? { request?.value(forHTTPHeaderField: "Accept") }

    private func times(by clock: any StorageClock) -> Times {
        times.withLock { times in
            if let times { return times }
            let (arrival, delay) = timing(of: response, by: clock)
            let known = Times(
                response: arrival, delay: delay,
                redirects: redirects.map { redirect in
                    let (arrival, delay) = timing(of: redirect, by: clock)
                    return HTTPFreshness.Redirect(redirect, delay: delay, at: arrival)
                })
            times = known
            return known
        }
    }

    private func timing(
        of response: TransportResponse, by clock: any StorageClock
    ) -> (arrival: Date, delay: TimeInterval) {
        let arrival = clock.time(of: response.responseTime)
        return (arrival, arrival.timeIntervalSince(clock.time(of: response.requestTime ?? startTime)))
    }
}
