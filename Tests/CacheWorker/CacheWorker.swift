import Foundation

/// A process that works on a cache folder, for tests that kill it, limit its resources or shut down its disk.
///
///     CacheWorker ROLE FOLDER [ARGUMENT...]
///
/// Reports its results on standard output, one fact a line, each written immediately.
@main struct CacheWorker {
    static func main() {
        do {
            try run(CommandLine.arguments)
        } catch {
            report("failed: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.count > 2 else { throw WrongUse() }
        let folder = arguments[2]
        let rest = arguments.dropFirst(3).map { $0 }
        switch (arguments[1], rest.first) {
        case ("write", let tally?): try CrashRoles(folder: folder, tally: tally).write()
        case ("write-in-place", let tally?): try CrashRoles(folder: folder, tally: tally).writeInPlace()
        case ("read", let tally?): try CrashRoles(folder: folder, tally: tally).read()
        case ("sweep", let tally?): try CrashRoles(folder: folder, tally: tally).sweep()
        case ("stream", let tally?): try CrashRoles(folder: folder, tally: tally).stream()
        case ("resume", let tally?): try CrashRoles(folder: folder, tally: tally).resume()
        case ("bus-error", let reason?): try FaultRoles.raiseBusError(reason, file: folder)
        case ("few-descriptors", _): try FaultRoles(folder: folder).runOutOfDescriptors()
        case ("fill-up", _): try FaultRoles(folder: folder).fillUp()
        case ("read-once", _): try FaultRoles(folder: folder).readOnce()
        case ("store", _): try FaultRoles(folder: folder).store()
        case ("read-only", _): try FaultRoles(folder: folder).useReadOnly()
        case ("no-attributes", _): try FaultRoles(folder: folder).useWithoutAttributes()
        case ("capped", _): try CapRole.run(folder: folder, rest)
        case ("crowd-fill", let count?): try CrowdRoles(folder: folder, count: count).fill()
        case ("crowd-measure", let count?): try CrowdRoles(folder: folder, count: count).measure()
        case ("power-write", _): try PowerRoles(folder: folder, rest).write(rest)
        case ("power-cut", _): try PowerRoles.cut(folder)
        case ("power-check", _): try PowerRoles(folder: folder, rest).check(rest)
        default: throw WrongUse()
        }
    }

    struct WrongUse: Error {}
}

func report(_ line: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}
