import Testing

@testable import KingfisherImage

/// Other tests that run at the same time may hold claims of the same process.
@Suite struct CoreClaimTests {
    /// Claims until one gets no second thread, and returns how many got one while all were held.
    private func helpers(cores: Int) -> Int {
        let claim = IdleCoreReservation(cores: cores)
        return withExtendedLifetime(claim) { claim.hasHelper ? 1 + helpers(cores: cores) : 0 }
    }

    @Test("Claims with a second thread count twice, until they end")
    func helpers() {
        for _ in 0..<3 {
            let count = helpers(cores: 1_000)
            #expect((450...500).contains(count))
        }
    }

    @Test("A claim of one core has no second thread")
    func noHelper() {
        let alone = IdleCoreReservation(cores: 1)
        let hasHelper = alone.hasHelper
        #expect(!hasHelper)
    }
}
