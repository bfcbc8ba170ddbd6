import Foundation

// One process measures one job at one size, for scripts/growth, and prints the wall time and the CPU time in
// nanoseconds and the peak growth of memory in bytes.

struct Failure: Error, CustomStringConvertible {
    let description: String
}

@MainActor func cost(_ job: String, _ size: Int, _ folder: URL) async throws -> Cost {
    if let job = ManyFiles.Job(rawValue: job) { return try await ManyFiles(folder, size).cost(job) }
    if let job = ManyRequests.Job(rawValue: job) { return try await ManyRequests(folder, size).cost(job) }
    if let job = LargeImage.Job(rawValue: job) { return try await LargeImage(folder, pixels: size).cost(job) }
    throw Failure(description: "unknown job \(job)")
}

do {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let size = Int(arguments[2]) else {
        throw Failure(description: "usage: Growth JOB SIZE FOLDER")
    }
    let cost = try await cost(arguments[1], size, URL(filePath: arguments[3], directoryHint: .isDirectory))
    print(cost.wall, cost.processor, cost.memory)
} catch {
    FileHandle.standardError.write(Data("Growth: \(error)\n".utf8))
    exit(1)
}
