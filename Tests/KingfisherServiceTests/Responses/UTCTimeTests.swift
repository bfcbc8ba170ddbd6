import Testing

@testable import KingfisherService

struct UTCTimeTests {
    @Test(
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ])
    func `A second is a date of HTTP`(_ seconds: Int, _ expected: String) {
        #expect(UTCTime(seconds)?.httpDate == expected)
    }

    @Test(arguments: [-1, .min, .max, 253_402_300_800])
    func `A second outside of the calendar has no text`(_ seconds: Int) {
        #expect(UTCTime(seconds) == nil)
    }

    @Test func `The basic format has no separators`() {
        #expect(UTCTime(1_369_353_600)?.basic == "20130524T000000Z")
        #expect(UTCTime(1_767_323_045)?.basic == "20260102T030405Z")
        #expect(UTCTime(1_767_323_045)?.basicDay == "20260102")
    }
}
