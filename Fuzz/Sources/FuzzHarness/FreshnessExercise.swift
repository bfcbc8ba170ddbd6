import Foundation
@testable import KingfisherTransport

/// Reads a possible freshness record of a file. Traps if it cannot be written again unchanged, or if it
/// allows a forbidden use.
public func exercise(freshness bytes: [UInt8]) {
    guard let read = HTTPFreshness(bytes) else { return }
    precondition(read.encoded.count <= 1_700, "the record is too large for an attribute")
    guard var again = HTTPFreshness(read.encoded) else {
        preconditionFailure("a written record cannot be read")
    }
    precondition(
        areSame(again.receivedAt, read.receivedAt) && areSame(again.date, read.date)
            && areSame(again.expires, read.expires), "another time when it is read again")
    (again.receivedAt, again.date, again.expires) = (read.receivedAt, read.date, read.expires)
    precondition(again == read, "the record differs when read again")
    useUp(read)
}

/// The precision of written milliseconds, limited by that of a `Date` of this size.
private func areSame(_ one: Date?, _ other: Date?) -> Bool {
    guard let one, let other else { return one == other }
    return abs(one.timeIntervalSince(other)) <= max(0.000_5, abs(one.timeIntervalSince1970) * 1e-15)
}

/// Checks the allowed use of the bytes at increasing times after their arrival.
private func useUp(_ freshness: HTTPFreshness) {
    let (directives, received) = (freshness.directives, freshness.receivedAt)
    precondition(
        freshness.lifetime >= 0 && freshness.lifetime.isFinite, "a lifetime of \(freshness.lifetime)")
    for accept in [HTTPFreshness.RequestAccept.known(freshness.accept), .known(nil), .unknown] {
        var wasFresh = true
        for seconds in [0, 1, 3_600, 86_400, 3e7, 5e9] as [TimeInterval] {
            let now = received + seconds
            precondition(freshness.currentAge(at: now) >= 0, "an age of \(freshness.currentAge(at: now))")
            let reuse = freshness.reuse(for: accept, at: now)
            precondition(wasFresh || reuse != .fresh, "a stale response is fresh again")
            wasFresh = reuse == .fresh
            // Dates a million years away have less than a second's precision.
            if let maxAge = directives.maxAge, abs(received.timeIntervalSince1970) < 1e12 {
                precondition(!wasFresh || seconds < TimeInterval(maxAge), "fresh beyond its max-age")
            }
            for failure in [HTTPFreshness.Failure.disconnected, .serverError, .other] {
                let isAllowed = freshness.allowsStale(for: accept, after: failure, at: now)
                precondition(
                    !isAllowed || !directives.noStore && !directives.noCache && !directives.mustRevalidate,
                    "stale in spite of the server")
            }
            precondition(!directives.noStore || reuse == .unusable, "used despite no-store")
            precondition(
                !directives.noCache || ![.fresh, .staleWhileRevalidate].contains(reuse), "no question")
        }
        // A clock that was set back, or was wrong when the bytes arrived.
        for now in [received - 1e6, .distantPast, .distantFuture] {
            _ = freshness.reuse(for: accept, at: now)
            precondition(freshness.currentAge(at: now) >= 0, "an age of \(freshness.currentAge(at: now))")
        }
    }
}
