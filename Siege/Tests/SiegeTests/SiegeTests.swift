import Foundation
import SiegeAttacks
import Testing

/// The attacks of `make siege` with reduced counts, against the server in the build folder of these tests.
@Suite(.serialized) struct SiegeTests {
    private static let server = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "kingfisher-server")

    @Test(arguments: Siege.Attack.quick)
    func `An attack takes no more than its limits`(_ attack: Siege.Attack) throws {
        let start = ContinuousClock.now
        let measurements = try #require(try Siege(server: Self.server, scale: .reduced).measure(attack))
        print("siege: \(attack.rawValue) took \(.now - start)")
        for measurement in measurements {
            print(measurement.line)
            #expect(measurement.isHeld, "\(measurement.line) \(measurement.detail)")
        }
    }
}
