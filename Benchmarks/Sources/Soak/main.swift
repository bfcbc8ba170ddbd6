import Foundation
import Kingfisher
import KingfisherTestSupport

/// Makes 100,000 requests, one in twenty with a fault. Prints the memory of the process after each 10,000.
///
///     Soak [REQUESTS]
///     Soak tags [FILES]
///
/// Fails if a request has an unexpected outcome, or if memory changes by more than 10 MB after the first
/// tenth. The server is a separate process, so that its memory is not measured. `tags` removes images by a
/// tag instead.
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
