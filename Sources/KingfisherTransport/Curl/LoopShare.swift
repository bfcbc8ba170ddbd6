/// How much of one round of the loop a transfer may take: a value.
///
/// libcurl reads up to 26 MB of a connection in one round and calls back for each chunk, so that a body in
/// chunks of one byte would hold all other transfers up for millions of callbacks. A transfer that has used
/// up its share is paused until a later round; meanwhile libcurl collects what it has read, which then comes
/// in large pieces.
struct LoopShare {
    /// Pieces of a body that are delivered in one round. Full ones have 16 KiB.
    static let maxPieces = 512
    /// A transfer whose pieces are smaller on average does not begin again at once: it rests.
    static let smallPiece = 512
    static let rest = Duration.milliseconds(10)

    private var round = 0
    private var pieces = 0
    private var bytes = 0

    /// Pieces that one counts for that was decoded here.
    static let decodedPieces = 4

    /// Takes a piece, or what costs as much as some; `false` when the share of the round is used up.
    mutating func take(_ count: Int, in round: Int, as cost: Int = 1) -> Bool {
        if round != self.round { (self.round, pieces, bytes) = (round, 0, 0) }
        guard pieces < Self.maxPieces else { return false }
        pieces += cost
        bytes += count
        return true
    }

    /// How long the transfer rests, now that its share is used up.
    var restingTime: Duration { bytes < pieces * Self.smallPiece ? Self.rest : .zero }
}
