import Testing

@testable import KingfisherTransport

/// Which readings make a flood.
@Suite struct FloodMeterTests {
    /// One reading: what libcurl has read from two sockets and delivered since the last one, in KiB.
    private typealias Step = (call: Int, first: Int, second: Int, delivered: Int)

    /// The socket found at each reading.
    private func found(_ steps: [Step], kept: [CInt: Int] = [:]) -> [CInt?] {
        var meter = FloodMeter()
        var (first, second, delivered) = (1 << 30, 0, 1 << 20)
        return steps.map { step in
            first += step.first << 10
            second += step.second << 10
            delivered += step.delivered << 10
            return meter.take(call: step.call, delivered: delivered, read: [7: first, 8: second], kept: kept)
        }
    }

    private func repeated(_ step: Step, _ count: Int) -> [Step] { Array(repeating: step, count: count) }

    private func nothing(_ count: Int) -> [CInt?] { Array(repeating: nil, count: count) }

    /// 50 ms until the first reading of a call, and 50 ms for each later one.
    private let limit = 8

    @Test("Bytes without a body for 400 ms are a flood of the connection with the most of them")
    func flood() {
        let found = found(repeated((call: 1, first: 10, second: 100, delivered: 0), 2 * limit - 1))
        let expected: [[CInt?]] = [nothing(limit - 1), [8], nothing(limit - 2), [8]]
        #expect(found == Array(expected.joined()))
    }

    /// libcurl reads nothing beside a handler that blocks.
    @Test("Large bodies and handlers that block are no flood", arguments: [(4_000, 7_900), (0, 0)])
    func noFlood(read: Int, delivered: Int) {
        let steps = repeated((call: 1, first: read, second: read, delivered: delivered), 100)
        #expect(found(steps) == nothing(100))
    }

    @Test("Bodies that libcurl keeps, and delivers later, are no flood")
    func keptBodies() {
        let kept: Step = (call: 1, first: 1_000, second: 0, delivered: 0)
        let delivered: Step = (call: 1, first: 1_000, second: 0, delivered: 3_900)
        let steps = Array(repeatElement(repeated(kept, 3) + [delivered], count: 40).joined())
        #expect(found(steps, kept: [7: 4 << 20]) == nothing(steps.count))
    }

    @Test("A flood ends when libcurl has read more than it may keep of bodies")
    func floodBesideBodies() {
        // The first reading has nothing to compare with, and the last one exceeds 20 MiB and 64 KiB.
        let steps = repeated((call: 1, first: 1 << 10, second: 0, delivered: 0), 22)
        #expect(found(steps, kept: [7: 20 << 20]) == nothing(21) + [7])
        #expect(found(steps, kept: [8: 20 << 20])[limit - 1] == 7)
    }

    @Test("libcurl may keep the bodies of a connection if several transfers use it, or one is paused")
    func keptSizes() {
        var bodies = ExpectedBodies()
        func expectKept(_ bytes: Int, ifPaused paused: Int) {
            #expect(bodies.keptBytes(isPaused: false) == bytes)
            #expect(bodies.keptBytes(isPaused: true) == paused)
        }
        bodies.expect(500, insteadOf: nil)
        expectKept(0, ifPaused: 500)
        bodies.expect(2_000, insteadOf: nil)
        expectKept(2_500, ifPaused: 2_500)
        // The head announces a size.
        bodies.expect(300, insteadOf: 2_000)
        expectKept(800, ifPaused: 800)
        bodies.expect(1 << 30, insteadOf: nil)
        expectKept(FloodMeter.maxKeptBytes, ifPaused: FloodMeter.maxKeptBytes)
        for size in [500, 1 << 30, 300] { bodies.expect(nil, insteadOf: size) }
        expectKept(0, ifPaused: 0)
        #expect(bodies.isEmpty)
    }

    @Test("Occasional bodies in a flood do not start the time again")
    func interrupted() {
        let flood: Step = (call: 1, first: 100, second: 0, delivered: 0)
        let body: Step = (call: 1, first: 100, second: 0, delivered: 90)
        let found = found(repeated(flood, 4) + [body] + repeated(flood, 4))
        #expect(found == nothing(8) + [7])
    }

    @Test("The time starts again with each call of libcurl")
    func nextCall() {
        let steps = (1...20).flatMap { call in
            repeated((call: call, first: 100, second: 0, delivered: 0), limit - 1)
        }
        #expect(found(steps) == nothing(steps.count))
    }

    @Test("Less than 64 KiB are no flood")
    func fewBytes() {
        let found = found(repeated((call: 1, first: 0, second: 8, delivered: 0), limit + 1))
        #expect(found == nothing(limit) + [8])
    }

    @Test("A new connection with the descriptor of a closed one has read nothing yet")
    func reusedDescriptor() {
        var meter = FloodMeter()
        for bytes in [5 << 20, 10_000, 10_001, 10_002, 10_003, 10_004, 10_005, 10_006, 10_007, 10_008] {
            #expect(meter.take(call: 1, delivered: 0, read: [7: bytes]) == nil)
        }
    }
}
