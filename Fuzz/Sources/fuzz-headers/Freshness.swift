import Foundation
import FoundationNetworking
import FuzzHarness

@testable import KingfisherTransport

/// A whole second, in 2026: what is read at it comes back from a record as it was.
let start = Date(timeIntervalSince1970: 1_790_000_000)

/// Dates in the years that their forms can tell; one of the form to be sent is that of the calendar.
func readDates(of response: TransportResponse) {
    let calendar = Date(timeIntervalSince1970: -62_167_219_200)...Date(timeIntervalSince1970: 253_402_300_800)
    for name in ["Date", "Expires", "Last-Modified", "Set-Cookie"] {
        guard let text = response.value(forField: name) else { continue }
        let cookie = CookieDate.read(text)
        precondition(cookie.map { calendar ~= $0 } ?? true, "a year of five digits")
        guard let date = HTTPDate.read(text, now: start) else { continue }
        precondition(calendar ~= date, "a year of five digits")
        precondition(cookie == nil || cookie == date || text.hasSuffix(":60 GMT"), "two dates")
        let parts = text.split(separator: " ")
        // A leap second is the next one.
        guard parts.count == 6, parts[5] == "GMT", !parts[4].hasSuffix(":60") else { continue }
        precondition(written(date) == parts[1...4].joined(separator: " "), "another date than was written")
    }
}

/// Day, month, year and time of day, by the C library.
private func written(_ date: Date) -> String? {
    var seconds = time_t(date.timeIntervalSince1970)
    var time = tm()
    guard gmtime_r(&seconds, &time) != nil else { return nil }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    func digits(_ number: Int32, _ count: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let clock = [time.tm_hour, time.tm_min, time.tm_sec].map { digits($0) }.joined(separator: ":")
    return "\(digits(time.tm_mday)) \(months[Int(time.tm_mon)]) \(digits(time.tm_year + 1_900, 4)) \(clock)"
}

/// What the response says of its freshness, as it is kept, after a 304 that says the same, and behind a
/// redirect that does.
func readFreshness(of response: TransportResponse) {
    if let field = response.value(forField: "Cache-Control") { compare(CacheDirectives(field), field) }
    for accept in [nil, "image/webp,*/*;q=0.8"] {
        let freshness = HTTPFreshness(response, accept: accept, delay: 1.5, at: start)
        precondition(HTTPFreshness(freshness.encoded) == freshness, "another record than was written")
        exercise(freshness: freshness.encoded)
        let limited = freshness.limited(by: [response])
        precondition(limited.lifetime <= freshness.lifetime, "a redirect that makes fresher")
        exercise(freshness: limited.encoded)
        let renewed = freshness.confirmed(by: response, accept: accept, delay: 0, at: start + 60)
        precondition(freshness.entityTag == nil || renewed != nil, "a tag that is not its own")
        if let renewed { exercise(freshness: renewed.encoded) }
        let request = URLRequest(url: response.url ?? URL(fileURLWithPath: "/"))
        if let asked = freshness.condition(for: request, accept: accept)?.added(to: request) { check(asked) }
    }
}

/// Without quotation marks a list can be taken apart at its commas.
private func compare(_ directives: CacheDirectives, _ field: String) {
    guard !field.utf8.contains(UInt8(ascii: "\"")) else { return }
    var arguments: [[UInt8]: [UInt8]] = [:]
    for member in field.utf8.split(separator: UInt8(ascii: ",")) {
        let parts = member.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            .map { part in Array(trimmed(Array(trimmed(Array(part)).reversed())).reversed()) }
        let name = parts[0].map { (65...90).contains($0) ? $0 | 32 : $0 }
        if arguments[name] == nil { arguments[name] = parts.count > 1 ? parts[1] : [] }
    }
    func argument(_ name: String) -> [UInt8]? { arguments[Array(name.utf8)] }
    func seconds(_ name: String) -> UInt32? {
        guard let digits = argument(name), !digits.isEmpty, digits.allSatisfy({ 48...57 ~= $0 }) else {
            return nil
        }
        return digits.reduce(0 as UInt32) {
            min(1 << 31, UInt32(clamping: UInt64($0) * 10 + UInt64($1 - 48)))
        }
    }
    precondition(directives.noStore == (argument("no-store") != nil), "another no-store")
    precondition(directives.noCache == (argument("no-cache") != nil), "another no-cache")
    precondition(directives.mustRevalidate == (argument("must-revalidate") != nil), "another must-revalidate")
    precondition(
        directives.maxAge == (argument("max-age") == nil ? nil : seconds("max-age") ?? 0), "another max-age")
    precondition(directives.staleIfError == seconds("stale-if-error"), "another stale-if-error")
}

private func trimmed(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.drop { $0 == 32 || $0 == 9 }) }
