import Foundation
import FoundationNetworking
import FuzzHarness

@testable import KingfisherTransport

/// A whole second in 2026, which a record stores exactly.
let start = Date(timeIntervalSince1970: 1_790_000_000)

/// Dates with years that their formats support. A date in the preferred format must be equal to the
/// calendar's.
func readDates(of response: TransportResponse) {
    let calendar = Date(timeIntervalSince1970: -62_167_219_200)...Date(timeIntervalSince1970: 253_402_300_800)
    for name in ["Date", "Expires", "Last-Modified", "Set-Cookie"] {
        guard let text = response.value(forField: name) else { continue }
        let cookie = CookieDate.read(text)
        precondition(cookie.map { calendar ~= $0 } ?? true, "the year has five digits")
        guard let date = HTTPDate.read(text, now: start) else { continue }
        precondition(calendar ~= date, "the year has five digits")
        precondition(cookie == nil || cookie == date || text.hasSuffix(":60 GMT"), "the dates differ")
        let parts = text.split(separator: " ")
        // A leap second is read as the next second.
        guard parts.count == 6, parts[5] == "GMT", !parts[4].hasSuffix(":60") else { continue }
        precondition(
            written(date) == parts[1...4].joined(separator: " "), "the date differs from the written one")
    }
}

/// Day, month, year and time of day, from the C library.
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

/// The freshness of a response: stored, after a 304 with the same headers, and after a redirect with the same
/// headers.
func readFreshness(of response: TransportResponse) {
    if let field = response.value(forField: "Cache-Control") { compare(CacheDirectives(field), field) }
    for accept in [nil, "image/webp,*/*;q=0.8"] {
        let freshness = HTTPFreshness(response, accept: accept, delay: 1.5, at: start)
        precondition(HTTPFreshness(freshness.encoded) == freshness, "the record differs from the written one")
        exercise(freshness: freshness.encoded)
        let limited = freshness.limited(by: [response])
        precondition(limited.lifetime <= freshness.lifetime, "a redirect extends freshness")
        exercise(freshness: limited.encoded)
        let renewed = freshness.confirmed(by: response, accept: accept, delay: 0, at: start + 60)
        precondition(freshness.entityTag == nil || renewed != nil, "the entity tag does not match itself")
        if let renewed { exercise(freshness: renewed.encoded) }
        let request = URLRequest(url: response.url ?? URL(fileURLWithPath: "/"))
        if let asked = freshness.condition(for: request, accept: accept)?.added(to: request) { check(asked) }
    }
}

/// Without quotation marks, a list can be split at its commas.
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
    precondition(directives.noStore == (argument("no-store") != nil), "no-store differs")
    precondition(directives.noCache == (argument("no-cache") != nil), "no-cache differs")
    precondition(directives.mustRevalidate == (argument("must-revalidate") != nil), "must-revalidate differs")
    precondition(
        directives.maxAge == (argument("max-age") == nil ? nil : seconds("max-age") ?? 0), "another max-age")
    precondition(directives.staleIfError == seconds("stale-if-error"), "stale-if-error differs")
}

private func trimmed(_ bytes: [UInt8]) -> [UInt8] { Array(bytes.drop { $0 == 32 || $0 == 9 }) }
