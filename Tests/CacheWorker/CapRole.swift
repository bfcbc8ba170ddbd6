import Foundation
import KingfisherStorage
import Synchronization

/// A process that stores far more than its limit allows, from several concurrent threads.
enum CapRole {
    /// `TALLY LIMIT COUNT THREADS`: stores COUNT entries of random size under names unique to this process.
    static func run(folder: String, _ arguments: [String]) throws {
        guard arguments.count == 4, let limit = UInt64(arguments[1]), let count = Int(arguments[2]),
            let threads = Int(arguments[3])
        else { throw CacheWorker.WrongUse() }
        let tally = try Tally.Counters(arguments[0])
        let engine = DiskEngine(directory: folder, settings: DiskSettings(sizeLimit: limit))
        try engine.prepare()
        let first = Int(getpid()) << 24
        let taken = Atomic(0)
        let running = DispatchGroup()
        for _ in 0..<threads {
            running.enter()
            Thread.detachNewThread {
                while true {
                    let number = taken.wrappingAdd(1, ordering: .relaxed).oldValue
                    guard number < count else { break }
                    let payload = Payload(key: first + number, version: UInt64(number))
                    do {
                        try engine.store(
                            payload.bytes, for: FolderCheck.name(of: payload.key), expiration: .days(7))
                    } catch {
                        tally.count(.failures)
                        report("failure \(error)")
                    }
                    tally.count(.operations)
                }
                running.leave()
            }
        }
        running.wait()
    }
}
