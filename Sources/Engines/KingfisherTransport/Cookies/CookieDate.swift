import Foundation

/// Parses the dates in cookies (RFC 6265, 5.1.1), which have no fixed format.
enum CookieDate {
    static func read(_ text: String) -> Date? {
        var (time, day, month, year): ([Int]?, Int?, Int?, Int?)
        for token in Substring(text).utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = clock(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if year < 70 { year += 2_000 } else if year < 100 { year += 1_900 }
        guard (1...31).contains(day), year >= 1_601, time[0] < 24, time[1] < 60, time[2] < 60 else {
            return nil
        }
        let seconds = (CivilDay.number(year, month, day) * 24 + time[0]) * 3_600 + time[1] * 60 + time[2]
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 9, 0x20...0x2f, 0x3b...0x40, 0x5b...0x60, 0x7b...0x7e: true
        default: false
        }
    }

    private static func number(_ token: Substring.UTF8View.SubSequence, digits: ClosedRange<Int>) -> Int? {
        let found = token.prefix { (48...57).contains($0) }
        return digits.contains(found.count) ? Int(Substring(found)) : nil
    }

    private static func clock(_ token: Substring.UTF8View.SubSequence) -> [Int]? {
        let fields = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard fields.count == 3 else { return nil }
        let numbers = fields.compactMap { number($0, digits: 1...2) }
        return numbers.count == 3 ? numbers : nil
    }

    private static func monthNumber(_ token: Substring.UTF8View.SubSequence) -> Int? {
        let names = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
        return names.firstIndex(of: Substring(token.prefix(3)).lowercased()).map { $0 + 1 }
    }
}
