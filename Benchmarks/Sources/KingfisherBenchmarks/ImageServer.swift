import Foundation
import Glibc
import KingfisherTestSupport

/// Serves one file under every path on loopback, in a separate process, so that its work is not measured.
/// Commands of the driver: `port`, and `requests` for the number of requests since the last command.
enum ImageServer {
    static func serve(path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let server = try LoopbackServer { _ in .ok(data) }
        var reported = 0
        while let line = readLine() {
            switch line {
            case "port": print(server.url("/").port ?? 0)
            case "requests":
                let count = server.requestCount()
                print(count - reported)
                reported = count
            default: throw BenchmarkError("unknown command: \(line)")
            }
            fflush(nil)
        }
        server.stop()
    }
}
