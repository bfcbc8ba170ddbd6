package import Foundation

/// Parses the three date formats of HTTP (RFC 9110, 5.6.7), strictly. Other dates are invalid, which means
/// the past for `Expires`.
///
///     Sun, 06 Nov 1994 08:49:37 GMT    IMF-fixdate, the preferred format
///     Sunday, 06-Nov-94 08:49:37 GMT   RFC 850
///     Sun Nov  6 08:49:37 1994         asctime
package enum HTTPDate {
    /// - Parameter now: Determines the century of a two-digit year: a date more than 50 years in the future
    ///   is in the past.
    package static func read(_ text: String, now: Date) -> Date? {
        // By bytes, because each use of a cached image reads a date.
        let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { Substring($0) }
        switch parts.count {
        case 6 where parts[0].utf8.count == 4 && parts[0].hasSuffix(",") && parts[5] == "GMT":
            guard isDay(parts[0].dropLast(), of: shortDays) else { return nil }
            return date(number(parts[3], 4), parts[2], number(parts[1], 2), parts[4])
        case 4 where parts[0].hasSuffix(",") && parts[3] == "GMT":
            let day = parts[1].split(separator: "-", omittingEmptySubsequences: false)
            guard isDay(parts[0].dropLast(), of: longDays), day.count == 3,
                let year = number(day[2], 2).map({ 1_900 + $0 })
            else { return nil }
            return nearest([year, year + 100, year + 200], now) {
                date($0, day[1], number(day[0], 2), parts[2])
            }
        case 5:
            return asctime(parts[0], parts[1], number(parts[2], 2), parts[3], parts[4])
        case 6 where parts[2].isEmpty:
            return asctime(parts[0], parts[1], number(parts[3], 1), parts[4], parts[5])
        default:
            return nil
        }
    }

    private static let shortDays = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    private static let longDays = [
        "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
    ]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func asctime(
        _ day: Substring, _ month: Substring, _ number: Int?, _ time: Substring, _ year: Substring
    ) -> Date? {
        guard isDay(day, of: shortDays) else { return nil }
        return date(self.number(year, 4), month, number, time)
    }

    private static func isDay(_ text: Substring, of names: [String]) -> Bool { names.contains(String(text)) }

    private static func nearest(_ years: [Int], _ now: Date, _ date: (Int) -> Date?) -> Date? {
        let fiftyYears = 50 * 365.2425 * 86_400
        return years.compactMap(date).last { $0.timeIntervalSince(now) <= fiftyYears }
    }

    private static func date(_ year: Int?, _ month: Substring, _ day: Int?, _ time: Substring) -> Date? {
        let clock = time.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            .map { number(Substring($0), 2) }
        guard let year, let day, let month = months.firstIndex(of: String(month)), clock.count == 3,
            let hour = clock[0], let minute = clock[1], let second = clock[2],
            (1...daysInMonth(month + 1, of: year)).contains(day), hour < 24, minute < 60,
            // 60 is a leap second.
            second <= 60
        else { return nil }
        let days = CivilDay.number(year, month + 1, day)
        return Date(timeIntervalSince1970: TimeInterval((days * 24 + hour) * 3_600 + minute * 60 + second))
    }

    private static func daysInMonth(_ month: Int, of year: Int) -> Int {
        let next = month == 12 ? CivilDay.number(year + 1, 1, 1) : CivilDay.number(year, month + 1, 1)
        return next - CivilDay.number(year, month, 1)
    }

    private static func number(_ text: Substring, _ digits: Int) -> Int? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text)
    }
}

enum CivilDay {
    /// Days since 1970 in the proleptic Gregorian calendar, computed in eras of 400 years that start in
    /// March.
    static func number(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
