import CSystem
import Foundation
import KingfisherTestSupport

/// What a piece of work costs.
struct Cost {
    /// In nanoseconds; the CPU time of all threads.
    let wall, processor: Int64
    /// The peak growth of resident memory in bytes (see proc(5), `clear_refs`).
    let memory: Int

    /// - Parameter work: Returns what must live until memory is read.
    @MainActor static func of<Result>(_ work: @MainActor () async throws -> Result) async throws -> Cost {
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let memory = ProcessStatus.residentBytes
        let (wall, processor) = (kf_wall_time(), kf_processor_time())
        let result = try await work()
        return withExtendedLifetime(result) {
            Cost(
                wall: kf_wall_time() - wall, processor: kf_processor_time() - processor,
                memory: ProcessStatus.peakResidentBytes - memory)
        }
    }
}
