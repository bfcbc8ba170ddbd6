/// The share of one round of the loop that a transfer may use: a value.
///
/// libcurl reads up to 26 MB of a connection per round and makes one callback per chunk, so a body with
/// chunks of one byte would delay all other transfers by millions of callbacks. A transfer that has used up
/// its share is paused until a later round; in the meantime, libcurl collects what it has read and then
/// delivers it in large pieces.
struct LoopShare {
    /// The maximum number of body pieces per round. A full piece has 16 KiB.
    static let maxPieces = 512
    /// A transfer with a smaller average piece size must rest before the next round.
    static let smallPiece = 512
    static let rest = Duration.milliseconds(10)

    private var round = 0
    private var pieces = 0
    private var bytes = 0

    /// The cost of a piece that was decoded here, in pieces.
    static let decodedPieces = 4

    /// Takes a piece of `count` bytes with a cost in pieces. Returns `false` if the share of the round is
    /// used up.
    mutating func take(_ count: Int, in round: Int, as cost: Int = 1) -> Bool {
        if round != self.round { (self.round, pieces, bytes) = (round, 0, 0) }
        guard pieces < Self.maxPieces else { return false }
        pieces += cost
        bytes += count
        return true
    }

    var restingTime: Duration { bytes < pieces * Self.smallPiece ? Self.rest : .zero }
}
