import Synchronization

/// The bytes on disk that open images may take together. Safe from any thread.
final class TileSpace: Sendable {
    /// Of the process.
    static let shared = TileSpace(limit: 2 << 30)

    let limit: Int
    private let taken = Mutex(0)

    init(limit: Int) {
        self.limit = limit
    }

    /// The bytes that are reserved now.
    var used: Int { taken.withLock { $0 } }

    /// Throws `tooManyTiles` if there is no room.
    func reserve(_ bytes: Int) throws(TiledImageError) -> Reservation {
        let isReserved = taken.withLock { taken in
            guard bytes <= limit - taken else { return false }
            taken += bytes
            return true
        }
        guard isReserved else { throw .tooManyTiles(required: bytes, limit: limit) }
        return Reservation(self, bytes)
    }

    /// Room that is free again when this object is released.
    final class Reservation: Sendable {
        private let space: TileSpace
        private let bytes: Int

        fileprivate init(_ space: TileSpace, _ bytes: Int) {
            (self.space, self.bytes) = (space, bytes)
        }

        deinit { space.taken.withLock { $0 -= bytes } }
    }
}
