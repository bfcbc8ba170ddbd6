import Foundation
import Glibc

// One process measures one engine in one row; `scripts/bench` starts it, with its peers, on one core.
let arguments = Array(CommandLine.arguments.dropFirst())

do {
    switch arguments.first {
    case "jpeg-thumb" where arguments.count == 2: try Worker.serve(JPEGThumb(path: arguments[1]))
    case "memory-get": try Worker.serve(MemoryGet())
    case "memory-get-nscache": try Worker.serve(NSCacheGet())
    default:
        throw BenchmarkError("usage: KingfisherBenchmarks jpeg-thumb FILE | memory-get | memory-get-nscache")
    }
} catch {
    FileHandle.standardError.write(Data("KingfisherBenchmarks: \(error)\n".utf8))
    exit(1)
}
