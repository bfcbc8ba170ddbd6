import Glibc

/// An open file, closed when it goes out of scope.
struct FileDescriptor: ~Copyable {
    let raw: CInt

    /// Gives up the file without closing it.
    consuming func relinquish() { discard self }

    deinit { _ = Glibc.close(raw) }
}
