/// The rows of an image from top to bottom, as pixels of its format.
///
/// Only a few rows are in memory, so that an image can be shrunk while it is decoded.
protocol RowsInOrder {
    var rowsAtOnce: Int { get }

    /// Decodes the next `count` rows, at most `rowsAtOnce`, `stride` bytes apart; returns false if the stream
    /// is invalid and another decoder should decide on the error.
    func read(
        _ count: Int, into target: UnsafeMutablePointer<UInt8>, stride: Int
    ) throws(ImageCodecError) -> Bool
}
