import Foundation
import KingfisherStorage

/// Faults that need a separate process: resource limits, and file systems mounted only for that process.
///
/// Each role reports what happened, one word and its outcome a line; the suite has the expected values.
struct FaultRoles {
    let engine: DiskEngine
    private let first = Payload(key: 0, version: 1)

    init(folder: String) throws {
        engine = DiskEngine(directory: folder)
        try engine.prepare()
    }

    func store() throws {
        try engine.store(first.bytes, for: FolderCheck.name(of: first.key), expiration: .days(1))
    }

    /// Reads one entry and exits immediately, with an engine that is never released.
    func readOnce() throws {
        guard try engine.data(for: FolderCheck.name(of: 0)) != nil else { throw CacheWorker.WrongUse() }
        _ = Unmanaged.passRetained(engine)
        exit(0)
    }

    func runOutOfDescriptors() throws {
        try store()
        let next = open("/dev/null", O_RDONLY | O_CLOEXEC)
        close(next)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let enough = limit.rlim_cur
        limit.rlim_cur = rlim_t(next)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // Background work closes descriptors below the limit now and then.
        let fill = { while dup(0) >= 0 {} }
        fill()
        usleep(50_000)
        fill()
        let loaded = load()
        fill()
        let short = [loaded, overwrite(), cached()]
        limit.rlim_cur = enough
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        report("short: " + short.joined(separator: ", "))
        report("then: " + [load(), overwrite(), load()].joined(separator: ", "))
    }

    func fillUp() throws {
        var stored = 0
        var failure = "none"
        while stored < 10_000 {
            let payload = Payload(key: stored, version: 1)
            failure = outcome {
                try engine.store(
                    payload.bytes, for: FolderCheck.name(of: payload.key), expiration: .days(1))
            }
            guard failure == "ok" else { break }
            stored += 1
        }
        report("full: \(failure)")
        var check = try FolderCheck(of: engine.directory)
        report(
            "stored: \(stored > 5 && check.whole.count == stored), damaged \(check.damaged), staged \(check.staged)"
        )
        let served = (0..<stored).count { load($0) == "whole" }
        report("served: \(served == stored)")
        for key in 0..<5 { try engine.remove(FolderCheck.name(of: key)) }
        report("after removals: \(overwrite()), \(load())")
        check = try FolderCheck(of: engine.directory)
        report("at the end: damaged \(check.damaged), staged \(check.staged)")
    }

    func useReadOnly() throws {
        report("reads: \(load()), \(cached())")
        report("writes: \(overwrite()), \(outcome { try engine.remove(FolderCheck.name(of: 0)) })")
        report("sweeps: \(outcome { _ = try engine.removeExpired(at: .distantFuture) })")
        report("sizes: \(outcome { _ = try engine.totalSize() })")
        report("still reads: \(load())")
    }

    func useWithoutAttributes() throws {
        try store()
        report("reads: \(load()), \(cached())")
        report("overwrites: \(overwrite()), \(load())")
        let late = DiskEngine(directory: engine.directory, clock: ShiftedClock(seconds: 100_000))
        try late.prepare()
        report("expires: \(outcome { _ = try late.removeExpired() }), \(load()), \(cached())")
    }

    // MARK: - Outcomes

    private func load(_ key: Int = 0) -> String {
        var found = "miss"
        let result = outcome {
            guard let bytes = try engine.data(for: FolderCheck.name(of: key)) else { return }
            if case .whole(let payload) = Payload.judge(bytes), payload.key == key {
                found = "whole"
            } else {
                found = "torn"
            }
        }
        return result == "ok" ? found : result
    }

    private func overwrite() -> String {
        outcome {
            try engine.store(
                Payload(key: 0, version: 2).bytes, for: FolderCheck.name(of: 0), expiration: .days(1))
        }
    }

    private func cached() -> String {
        engine.isCached(FolderCheck.name(of: 0)) ? "cached" : "not cached"
    }

    /// Maps a file, which installs the handler of SIGBUS, then gets the signal for another reason.
    static func raiseBusError(_ reason: String, file path: String) throws {
        let mapped = FileMapping.contents(ofFile: path)
        guard mapped?.first == 7 else { throw CacheWorker.WrongUse() }
        if reason == "sent" { raise(SIGBUS) }
        let file = open(path, O_RDWR)
        let address = mmap(nil, 1 << 20, PROT_READ, MAP_SHARED, file, 0)
        guard ftruncate(file, 0) == 0, let address, address != MAP_FAILED else {
            throw CacheWorker.WrongUse()
        }
        report("\(address.load(fromByteOffset: 8_192, as: UInt8.self))")
    }

    private func outcome(_ operation: () throws -> Void) -> String {
        do {
            try operation()
            return "ok"
        } catch let failure as DiskStorageFailure {
            return Self.name(of: failure)
        } catch {
            return "\(error)"
        }
    }

    /// The failure and the system's error code, as `cannotLoad 24`.
    private static func name(of failure: DiskStorageFailure) -> String {
        let (what, error): (String, SystemError?) =
            switch failure {
            case .notReady: ("notReady", nil)
            case .cannotCreateDirectory(_, let error): ("cannotCreateDirectory", error)
            case .cannotCreateFile(_, let error): ("cannotCreateFile", error)
            case .cannotSetAttribute(_, let error): ("cannotSetAttribute", error)
            case .cannotLoad(_, let error): ("cannotLoad", error)
            case .invalidResource(_, let error): ("invalidResource", error)
            case .cannotEnumerate(_, let error): ("cannotEnumerate", error)
            case .cannotRemove(_, let error): ("cannotRemove", error)
            }
        return error.map { "\(what) \($0.code)" } ?? what
    }
}
