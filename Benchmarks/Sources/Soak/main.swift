import Foundation
import Kingfisher
import KingfisherTestSupport

/// 100,000 requests, every twentieth of which meets a fault; says how much memory the process holds after
/// each 10,000.
///
///     Soak [REQUESTS]
///     Soak tags [FILES]
///
/// Fails when a request ends in another way than it must, or when memory after the first tenth moves by more
/// than 10 MB. The server is a process of its own, so that its memory does not count. `tags` removes images
/// by a tag instead.
let arguments = CommandLine.arguments.dropFirst()
do {
    if arguments.first == "--serve" {
        try SoakServer.serve()
    } else if arguments.first == "tags" {
        let count = arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
        guard try await TagRemoval().run(count) else { exit(1) }
    } else {
        let count = arguments.first.flatMap { Int($0) } ?? 100_000
        let server = try SoakServer()
        defer { server.stop() }
        guard try await SoakClient(server.port).run(count) else { exit(1) }
    }
} catch {
    FileHandle.standardError.write(Data("Soak: \(error)\n".utf8))
    exit(1)
}
