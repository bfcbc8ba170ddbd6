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
        MainThread.isCurrent || DispatchQueue.getSpecific(key: mark) == true
    }
}

/// Knows whether this is the main thread, which Foundation asks the kernel in two calls: each
/// thread keeps its answer.
private enum MainThread {
    private static let answer: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()
    // A thread that never asked keeps nil.
    private static let (yes, no) = (1, 2)

    static var isCurrent: Bool {
        guard let answer else { return Thread.isMainThread }
        if let kept = pthread_getspecific(answer) { return Int(bitPattern: kept) == yes }
        let isMain = Thread.isMainThread
        pthread_setspecific(answer, UnsafeRawPointer(bitPattern: isMain ? yes : no))
        return isMain
    }
}
