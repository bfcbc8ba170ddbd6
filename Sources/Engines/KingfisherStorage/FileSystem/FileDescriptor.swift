import Glibc

/// An open file, closed when it goes out of scope.
struct FileDescriptor: ~Copyable, Sendable {
    let raw: CInt

    /// Gives ownership of the raw descriptor to the caller without closing it.
    consuming func relinquish() { discard self }

    deinit { _ = Glibc.close(raw) }
}
