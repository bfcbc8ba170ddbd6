import Dispatch
import Foundation

/// Tells whether code runs on the main thread or the main queue.
///
/// The thread alone is not enough: on Linux, a program with an asynchronous `main` exits its main thread, and
/// worker threads then serve the main queue.
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

/// Tells whether this is the main thread. Each thread caches the result, because Foundation needs two system
/// calls for it.
private enum MainThread {
    private static let cacheKey: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()
    // Not 0, which is the value of a thread without a cached result.
    private static let (yes, no) = (1, 2)

    static var isCurrent: Bool {
        guard let cacheKey else { return Thread.isMainThread }
        if let cached = pthread_getspecific(cacheKey) { return Int(bitPattern: cached) == yes }
        let isMain = Thread.isMainThread
        pthread_setspecific(cacheKey, UnsafeRawPointer(bitPattern: isMain ? yes : no))
        return isMain
    }
}
