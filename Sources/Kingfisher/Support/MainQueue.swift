import Dispatch
import Foundation

/// Knows whether code runs where main-actor code runs.
///
/// The thread does not tell: on Linux a program with an asynchronous `main` gives its main thread up, and
/// workers serve the main queue from then on.
enum MainQueue {
    private static let mark: DispatchSpecificKey<Bool> = {
        let mark = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: mark, value: true)
        return mark
    }()

    static var isCurrent: Bool {
        // The queue first: asking for the thread takes two system calls.
        DispatchQueue.getSpecific(key: mark) == true || Thread.isMainThread
    }
}
