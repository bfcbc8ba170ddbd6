import Dispatch
import Foundation
import Glibc
import Synchronization

/// Identifies a thread for its lifetime.
struct ThreadIdentity: Hashable, Sendable {
    private let value = UInt(pthread_self())

    static var current: ThreadIdentity { ThreadIdentity() }
}

/// Whether code runs on the main queue, on any thread.
///
/// With an asynchronous `main`, as in test runs, a worker thread serves the main queue.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// A dispatch queue that can be identified from code that runs on it.
final class MarkedQueue: Sendable {
    let queue: DispatchQueue
    private let key = DispatchSpecificKey<Bool>()

    init(_ label: String = "marked") {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: key, value: true)
    }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// Blocks a thread until another thread opens it, up to a time limit.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func open() { semaphore.signal() }

    /// False if it was not opened in time.
    func wait(upTo seconds: TimeInterval = 10) -> Bool {
        semaphore.wait(timeout: .now() + seconds) == .success
    }
}

/// The thread that calls the library.
enum Caller: CaseIterable, Sendable {
    case mainQueue, worker

    /// Runs `body` on that thread. `body` may block it, so that its mark stays unique.
    func run(_ body: @escaping @Sendable () -> Void) {
        switch self {
        case .mainQueue: DispatchQueue.main.async(execute: body)
        case .worker: Thread(block: body).start()
        }
    }
}
