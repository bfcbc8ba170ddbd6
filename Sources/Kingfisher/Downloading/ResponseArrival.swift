import Foundation
import FoundationNetworking
import KingfisherConcurrency
import KingfisherStorage
import KingfisherTransport
import Synchronization

/// A response as far as its freshness goes, and when it came: the same moment for all who share it, however
/// long its body and the decoding took.
final class ResponseArrival: Sendable {
    let response: TransportResponse
    /// What a 304 has done to files, for all that wait for it.
    let renewals = SingleFlight<FileRenewal, Void>(abandoned: ())
    private let request: URLRequest?
    private let redirects: [TransportResponse]
    private let startTime: ContinuousClock.Instant
    private let times = Mutex<Times?>(nil)

    /// RFC 9111, 4.2.3.
    private struct Times {
        let response: Date
        /// Seconds from the request.
        let delay: TimeInterval
        let redirects: [HTTPFreshness.Redirect]
    }

    /// - Parameters:
    ///   - redirects: What has led there.
    ///   - startTime: When the request was sent, where the transport does not say.
    init(
        _ response: TransportResponse, to request: URLRequest?, through redirects: [TransportResponse] = [],
        startedAt startTime: ContinuousClock.Instant
    ) {
        self.response = response
        self.request = request
        self.redirects = redirects
        self.startTime = startTime
    }

    /// The response's record; the clock of whoever asks first tells the time.
    func freshness(by clock: any StorageClock) -> HTTPFreshness {
        let times = times(by: clock)
        return HTTPFreshness(
            response, to: request?.httpMethod ?? "GET", accept: accept, delay: times.delay, at: times.response
        ).limited(by: times.redirects)
    }

    /// `old` after this 304; nil where it does not speak of the same bytes.
    func confirmation(of old: HTTPFreshness, by clock: any StorageClock) -> HTTPFreshness? {
        let times = times(by: clock)
        return old.confirmed(by: response, accept: accept, delay: times.delay, at: times.response)?
            .limited(by: times.redirects)
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
