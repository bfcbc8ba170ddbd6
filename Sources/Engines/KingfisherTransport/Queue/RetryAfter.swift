import Foundation

/// Decides how long a response keeps further requests from its host (RFC 6585, 4; RFC 9110, 10.2.3).
enum RetryAfter {
    /// The wait after a 429 that does not say how long it is.
    static let standard = Duration.seconds(1)

    /// The wait that a response demands: a 429, or a 503 with a valid `Retry-After`; nil for other responses.
    ///
    /// At most ``RequestPace/longestBlock``; zero if the time is in the past.
    ///
    /// - Parameters:
    ///   - field: Returns the value of a header field.
    ///   - now: The wall clock's time. A `Retry-After` that is a date is compared with the response's `Date`,
    ///     because the two clocks may differ, and with `now` if the response has none.
    static func wait(status: Int, field: (_ name: String) -> String?, now: @autoclosure () -> Date)
        -> Duration?
    {
        guard status == 429 || status == 503 else { return nil }
        let fallback = status == 429 ? standard : nil
        guard let text = field("Retry-After") else { return fallback }
        let now = now()
        let sent = field("Date").flatMap { HTTPDate.read($0, now: now) } ?? now
        return seconds(text, now: sent).map { .seconds($0) } ?? fallback
    }

    /// The seconds of a `Retry-After`, 0 or more; nil if it is neither a number of seconds nor a date.
    static func seconds(_ text: String, now: Date) -> Double? {
        let text = text.trimmingCharacters(in: .whitespaces)
        let longest = RequestPace.longestBlock.seconds
        if !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) {
            // A number of any length; one that is too large for `Double` is infinite.
            return Double(text).map { min($0, longest) }
        }
        return HTTPDate.read(text, now: now).map { min(max($0.timeIntervalSince(now), 0), longest) }
    }
}
