public import Foundation

extension ImageMetadata {
    /// A date and time of day as a camera writes it: local time, often without its zone.
    public struct Moment: Hashable, Sendable, CustomStringConvertible, Encodable {
        /// The year, 1...9999.
        public let year: Int
        /// The month, 1...12.
        public let month: Int
        /// The day of the month, 1...31.
        public let day: Int
        /// The hour, 0...23.
        public let hour: Int
        /// The minute, 0...59.
        public let minute: Int
        /// The second, 0...60.
        public let second: Int
        /// The decimal digits of the second after its point, at most nine; empty if unknown.
        public let fractionDigits: String
        /// Seconds east of UTC; nil if the file does not say.
        public let secondsFromUTC: Int?

        /// Nil if a number is outside its range.
        init?(
            year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0,
            fractionDigits: String = "", secondsFromUTC: Int? = nil
        ) {
            guard (1...9_999).contains(year), (1...12).contains(month),
                (1...Self.days(in: month, of: year)).contains(day),
                (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
            else { return nil }
            (self.year, self.month, self.day) = (year, month, day)
            (self.hour, self.minute, self.second) = (hour, minute, second)
            self.fractionDigits = fractionDigits
            self.secondsFromUTC = secondsFromUTC
        }

        /// Encodes `description`.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(description)
        }

        /// The fraction of the second, 0..<1; 0 if unknown.
        public var fraction: Double { Double("0." + fractionDigits + "0") ?? 0 }

        /// The point in time; without a zone in the file, with the zone of `secondsFromUTC`, in seconds east
        /// of UTC.
        public func date(assuming secondsFromUTC: Int = 0) -> Date {
            let offset = self.secondsFromUTC ?? secondsFromUTC
            let time = hour * 3_600 + minute * 60 + second
            let days = Double(Self.daysSince1970(year, month, day))
            return Date(timeIntervalSince1970: days * 86_400 + Double(time) + fraction - Double(offset))
        }

        /// The moment in the form of RFC 3339, without a zone if the file has none.
        public var description: String {
            func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
            let years = String(repeating: "0", count: 4 - "\(year)".count) + "\(year)"
            let fraction = fractionDigits.isEmpty ? "" : ".\(fractionDigits)"
            let zone =
                switch secondsFromUTC {
                case nil: ""
                case 0: "Z"
                case let offset?:
                    "\(offset < 0 ? "-" : "+")\(two(abs(offset) / 3_600)):\(two(abs(offset) / 60 % 60))"
                }
            return "\(years)-\(two(month))-\(two(day))T\(two(hour)):\(two(minute)):\(two(second))"
                + fraction + zone
        }

        private static func days(in month: Int, of year: Int) -> Int {
            switch month {
            case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
            case 4, 6, 9, 11: 30
            default: 31
            }
        }

        /// Days of the proleptic Gregorian calendar: complete years, leap days, then the days of this year.
        private static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
            let past = year - 1
            let before = past * 365 + past / 4 - past / 100 + past / 400
            let months = (1..<month).reduce(0) { $0 + days(in: $1, of: year) }
            return before + months + day - 1 - 719_162
        }
    }
}

extension ImageMetadata.Moment {
    /// EXIF's `YYYY:MM:DD HH:MM:SS`, with its separate texts for the fraction and the zone (`+HH:MM`).
    init?(exif text: String, fraction: String?, offset: String?) {
        let parts = text.split(whereSeparator: { $0 == ":" || $0 == " " }).map { Int(digits: $0) }
        guard parts.count == 6, let year = parts[0], let month = parts[1], let day = parts[2],
            let hour = parts[3], let minute = parts[4], let second = parts[5]
        else { return nil }
        let digits = (fraction ?? "").prefix { $0.isASCII && $0.isNumber }.prefix(9)
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second,
            fractionDigits: String(digits), secondsFromUTC: offset.flatMap(Self.offset))
    }

    /// IPTC's `CCYYMMDD` and `HHMMSS+HHMM`.
    init?(iptcDate: String, time: String?) {
        guard let date = Int(digits: iptcDate[...]), iptcDate.utf8.count == 8 else { return nil }
        let clock = time.flatMap { $0.utf8.count >= 6 ? Int(digits: $0.prefix(6)) : nil } ?? 0
        self.init(
            year: date / 10_000, month: date / 100 % 100, day: date % 100, hour: clock / 10_000,
            minute: clock / 100 % 100, second: clock % 100,
            secondsFromUTC: time.flatMap { Self.offset(String($0.dropFirst(6))) })
    }

    /// `+HH:MM`, `-HHMM` or `Z`.
    private static func offset(_ text: String) -> Int? {
        if text == "Z" { return 0 }
        guard let sign = text.first, sign == "+" || sign == "-",
            let number = Int(digits: text.dropFirst().filter { $0 != ":" }[...]), number % 100 < 60,
            number <= 1_500
        else { return nil }
        return (number / 100 * 3_600 + number % 100 * 60) * (sign == "-" ? -1 : 1)
    }
}

extension Int {
    /// A number of one to eight decimal digits, without a sign.
    fileprivate init?(digits: Substring) {
        guard (1...8).contains(digits.utf8.count),
            digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        self.init(digits)
    }
}
