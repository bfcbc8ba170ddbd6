import Synchronization

/// The pictures of one cache that are on their way to the disk, by computed key.
///
/// A lookup that comes between the end of a download and the end of the write finds the picture here, instead of
/// downloading it again. Safe from any thread.
final class PendingWrites: Sendable {
    private struct Entry: Sendable {
        let number: UInt64
        let image: KFCrossPlatformImage
    }

    private struct State: Sendable {
        var entries: [String: Entry] = [:]
        var lastNumber: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Notes that `image` is about to be written; the number takes the note back.
    func begin(_ image: KFCrossPlatformImage, forKey key: String) -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            state.entries[key] = Entry(number: state.lastNumber, image: image)
            return state.lastNumber
        }
    }

    /// Takes a note back, unless a newer write of the key took its place.
    func end(_ number: UInt64, forKey key: String) {
        // The picture is released outside the lock.
        let ended = state.withLock { state in
            state.entries[key]?.number == number ? state.entries.removeValue(forKey: key) : nil
        }
        withExtendedLifetime(ended) {}
    }

    func image(forKey key: String) -> KFCrossPlatformImage? {
        state.withLock { $0.entries[key]?.image }
    }
}
