/// A second in UTC as text, in the proleptic Gregorian calendar, without locale and time zone data.
struct UTCTime {
    private let year: Int
    private let month: Int
    private let day: Int
    private let weekday: Int
    private let secondOfDay: Int

    /// Nil before 1970 and after 9999, where the texts are not defined.
    init?(_ seconds: Int) {
        guard (0..<253_402_300_800).contains(seconds) else { return nil }
        let days = seconds / 86_400
        secondOfDay = seconds % 86_400
        // 1970-01-01 was a Thursday.
        weekday = (days + 4) % 7
        // Years begin in March, so that the leap day is the last one. An era has 400 years.
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    var httpDate: String {
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let date = "\(days[weekday]), \(digits(day)) \(months[month - 1]) \(digits(year, 4))"
        return "\(date) \(clock(separator: ":")) GMT"
    }

    /// `20130524T000000Z`, the basic format of ISO 8601.
    var basic: String { "\(basicDay)T\(clock(separator: ""))Z" }

    /// `20130524`.
    var basicDay: String { digits(year, 4) + digits(month) + digits(day) }

    private func clock(separator: String) -> String {
        [secondOfDay / 3_600, secondOfDay / 60 % 60, secondOfDay % 60].map { digits($0) }
            .joined(separator: separator)
    }

    private func digits(_ number: Int, _ count: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
    }
}
