#if KINGFISHER_TSAN
    import Glibc

    /// Stands in for `Synchronization.Mutex` under the Thread Sanitizer (`KINGFISHER_TSAN=1`), in the module it is in.
    ///
    /// On Linux the real one waits inside the standard library, which the sanitizer does not see: every contended lock
    /// would be reported as a race. A pthread mutex it knows. The file is linked into each module that needs it, because
    /// only a module's own type hides an imported one.
    ///
    /// `@unchecked Sendable`: the value is reached under the lock only.
    struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

        init(_ initial: consuming sending Value) {
            lock.initialize(to: pthread_mutex_t())
            pthread_mutex_init(lock, nil)
            value.initialize(to: initial)
        }

        deinit {
            pthread_mutex_destroy(lock)
            value.deinitialize(count: 1)
            value.deallocate()
            lock.deallocate()
        }

        borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            pthread_mutex_lock(lock)
            defer { pthread_mutex_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#endif
