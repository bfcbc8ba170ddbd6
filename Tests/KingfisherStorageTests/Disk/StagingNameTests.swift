import Foundation
import Glibc
import Testing

@testable import KingfisherStorage

struct StagingNameTests {
    /// A process that has ended and been waited for.
    private func endedProcess() throws -> pid_t {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        return process.processIdentifier
    }

    @Test func roundTrip() throws {
        let name = StagingName(count: 7)
        #expect(StagingName(name.string) == name)
        #expect(
            ["", "leftover", "1-2-3", "x-2-3-4", "1--2-3-4", "1-0-3-4", "1-2-3-4-5"].allSatisfy {
                StagingName($0) == nil
            })
    }

    @Test func onlyTheDeadOfThisPlaceAreOrphans() throws {
        let dead = try endedProcess()
        #expect(StagingName(process: dead, count: 1).isOrphan)
        #expect(!StagingName(place: StagingName.here &+ 1, process: dead, count: 1).isOrphan)
        #expect(!StagingName(count: 1).isOrphan)
        #expect(!StagingName(process: getppid(), run: 1, count: 1).isOrphan)
        // Whoever had this process id before.
        #expect(StagingName(run: StagingName.thisRun &+ 1, count: 1).isOrphan)
    }

    @Test(
        "What a killed process left goes with the next sweep, whatever its age; what is being written stays")
    func sweepRemovesOrphansAtOnce() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key")
        let dead = StagingName(process: try endedProcess(), count: 1).string
        let alive = StagingName(process: getppid(), count: 1).string
        for name in [dead, alive] {
            makeFile(world.root + "/cache.staging/" + name, bytes(5))
            makeFile(world.engine.directory + "/.kingfisher-" + name, bytes(5))
        }
        _ = try world.engine.removeExpired()
        #expect(world.names(in: "cache.staging") == [alive])
        #expect(world.names() == [".kingfisher-" + alive, world.name("key").rawValue].sorted())
    }
}
