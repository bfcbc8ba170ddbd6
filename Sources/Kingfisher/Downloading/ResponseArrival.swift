import Foundation
import FoundationNetworking
import KingfisherStorage
import KingfisherTransport
import Synchronization

/// A response as far as its freshness goes, and when it came: the same moment for all who share it.
final class ResponseArrival: Sendable {
    let response: TransportResponse
    /// What a 304 has done to files, for all that wait for it.
    let renewals = OncePerKey<FileRenewal>()
    private let request: URLRequest?
    private let delay: TimeInterval
    private let time = Mutex<Date?>(nil)

    /// - Parameter delay: Seconds from the request to the response's end.
    init(_ response: TransportResponse, to request: URLRequest?, delay: TimeInterval) {
        self.response = response
        self.request = request
        self.delay = delay
    }

    /// The response's record; the clock of whoever asks first tells the time.
    func freshness(by clock: any StorageClock) -> HTTPFreshness {
        HTTPFreshness(response, accept: accept, delay: delay, at: time(by: clock))
    }

    /// `old` after this 304; nil where it does not speak of the same bytes.
    func confirmation(of old: HTTPFreshness, by clock: any StorageClock) -> HTTPFreshness? {
        old.confirmed(by: response, accept: accept, delay: delay, at: time(by: clock))
    }

    private var accept: String? { request?.value(forHTTPHeaderField: "Accept") }

    private func time(by clock: any StorageClock) -> Date {
        time.withLock { time in
            let known = time ?? clock.now
            time = known
            return known
        }
    }
}

/// The question of a caller that has a stale picture, and what it hears in place of a new one.
struct Revalidation: Sendable {
    let freshness: HTTPFreshness
    /// Called once in place of the completion, with the 304.
    let confirm: @Sendable (ResponseArrival) -> Void
}
