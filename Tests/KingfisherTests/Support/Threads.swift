import Dispatch
import Foundation
import Glibc
import Synchronization

/// Tells one thread from another while both live.
struct ThreadMark: Hashable, Sendable {
    private let value = UInt(pthread_self())

    static var current: ThreadMark { ThreadMark() }
}

/// Whether this code runs on the main queue, whichever thread serves it.
///
/// Under an asynchronous `main`, as test runs have, a worker thread serves the main queue.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// A queue that knows whether code runs on it.
final class MarkedQueue: Sendable {
    let queue: DispatchQueue
    private let key = DispatchSpecificKey<Bool>()

    init(_ label: String = "marked") {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: key, value: true)
    }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// Blocks a thread until another opens it; gives up at a deadline.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    /// False when nobody opened it in time.
    func wait(upTo seconds: TimeInterval = 10) -> Bool {
        semaphore.wait(timeout: .now() + seconds) == .success
    }
}

/// Who calls the library.
enum Caller: CaseIterable, Sendable {
    case mainQueue, worker

    /// Runs `body` there, which may block the thread so that its mark belongs to nobody else.
    func run(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .mainQueue: DispatchQueue.main.async(execute: body)
        case .worker: Thread(block: body).start()
        }
    }
}
