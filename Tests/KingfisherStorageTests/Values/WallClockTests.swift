import Foundation
import Testing

@testable import KingfisherStorage

@Suite struct WallClockTests {
    @Test("The wall clock is never behind Foundation's by a kernel tick")
    func exact() {
        for _ in 0..<1000 {
            let before = Date()
            let now = WallClock().now
            // Both are rounded to a tenth of a microsecond.
            #expect(now >= before - 1e-6 && now <= Date() + 1e-6)
        }
    }
}
