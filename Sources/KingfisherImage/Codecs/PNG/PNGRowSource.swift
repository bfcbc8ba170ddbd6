/// The rows of a PNG that is not interlaced, from top to bottom, as pixels of its format.
///
/// Nothing is held but a few rows, so that an image can be made smaller while it is read.
protocol PNGRowSource {
    /// The most rows that are read at once.
    var rowsAtOnce: Int { get }

    /// Makes the next `count` rows, at most `rowsAtOnce`, `stride` bytes apart; false where the stream is not
    /// as it should be, but another decoder may judge it otherwise.
    func read(
        _ count: Int, into target: UnsafeMutablePointer<UInt8>, stride: Int
    ) throws(ImageCodecError) -> Bool
}
