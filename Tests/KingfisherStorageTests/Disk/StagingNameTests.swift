import Foundation
import Glibc
import Testing

@testable import KingfisherStorage

struct StagingNameTests {
    /// The identifier of a process that has exited and was waited for.
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

    @Test func onlyFilesOfEndedLocalProcessesAreOrphans() throws {
        let ended = try endedProcess()
        #expect(StagingName(process: ended, count: 1).isOrphan)
        #expect(!StagingName(place: StagingName.here &+ 1, process: ended, count: 1).isOrphan)
        #expect(!StagingName(count: 1).isOrphan)
        #expect(!StagingName(process: getppid(), run: 1, count: 1).isOrphan)
        // An earlier process with the same process id.
        #expect(StagingName(run: StagingName.thisRun &+ 1, count: 1).isOrphan)
    }

    @Test(
        "A sweep removes files of ended processes at any age, and keeps those of running ones")
    func sweepRemovesOrphansImmediately() throws {
        let world = try DiskWorld()
        try world.store(bytes(3), "key")
        let ended = StagingName(process: try endedProcess(), count: 1).string
        let running = StagingName(process: getppid(), count: 1).string
        for name in [ended, running] {
            makeFile(world.root + "/cache.staging/" + name, bytes(5))
            makeFile(world.engine.directory + "/.kingfisher-" + name, bytes(5))
        }
        _ = try world.engine.removeExpired()
        #expect(world.names(in: "cache.staging") == [running])
        #expect(world.names() == [".kingfisher-" + running, world.name("key").rawValue].sorted())
    }
}
