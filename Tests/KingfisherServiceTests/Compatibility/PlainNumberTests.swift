import Testing

@testable import KingfisherService

struct PlainNumberTests {
    @Test(arguments: [("0", 0), ("007", 7), ("123456789012345", 123_456_789_012_345)])
    func `Digits are a whole number`(_ text: String, _ number: Int) {
        #expect(PlainNumber.whole(text) == number)
    }

    @Test(arguments: [
        "", "-1", "+1", "1.0", " 1", "1 ", "1e3", "0x1", "1_000", "٣", "1\0", "1234567890123456",
    ])
    func `Other texts are no whole number`(_ text: String) {
        #expect(PlainNumber.whole(text) == nil)
    }

    @Test(arguments: [("0", 0.0), ("-0.5", -0.5), (".5", 0.5), ("1.", 1.0), ("12.25", 12.25)])
    func `Digits with a point are a number`(_ text: String, _ number: Double) {
        #expect(PlainNumber.decimal(text) == number)
    }

    @Test(arguments: [
        "", "-", ".", "-.", "1.2.3", "--1", "+1", "1e3", "nan", "inf", "0x1p3", "1,5", " 1", "٣",
        "111111111111111111111111111111111",
    ])
    func `Other texts are no number`(_ text: String) {
        #expect(PlainNumber.decimal(text) == nil)
    }

    private static let written: [(Double, String)] = [
        (0, "0"), (1, "1"), (-1.5, "-1.5"), (0.000_001, "0.000001"), (0.000_000_1, "0"),
        (-0.000_000_1, "0"), (1.0 / 3, "0.333333"), (0.1 + 0.2, "0.3"), (1_000_000, "1000000"),
        (999.999_999_9, "1000"),
    ]

    @Test(arguments: written)
    func `A number is written without an exponent`(_ number: Double, _ text: String) {
        #expect(PlainNumber.text(number) == text)
    }
}
