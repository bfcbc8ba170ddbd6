public import Foundation
import KingfisherStorage

extension CachedImageFile {
    /// The bytes of a cached file in pieces (``chunks(of:range:)``).
    public struct Chunks: AsyncSequence, Sendable {
        public typealias Element = Data
        public typealias Failure = KingfisherError

        let file: CachedImageFile
        let size: Int
        let range: Range<Int>?

        public func makeAsyncIterator() -> Iterator {
            Iterator(file: file, size: size, pieces: file.pieces(of: range))
        }

        /// One pass over the bytes. Copies share it: each piece goes to one of them.
        public struct Iterator: AsyncIteratorProtocol, Sendable {
            let file: CachedImageFile
            let size: Int
            let pieces: EntryPieces

            /// The next bytes; nil at the end and after an error.
            public mutating func next() async throws(KingfisherError) -> Data? {
                try await next(isolation: nil)
            }

            /// The next bytes; nil at the end and after an error.
            public mutating func next(
                isolation actor: isolated (any Actor)?
            ) async throws(KingfisherError) -> Data? {
                guard !Task.isCancelled else { throw .requestError(reason: .asyncTaskContextCancelled) }
                return try await file.inBackground { [pieces, size] _ throws(SystemError) in
                    try pieces.next(size)
                }
            }
        }
    }
}
