/// Finds the connection that keeps libcurl from returning: a value.
///
/// A reading counts if libcurl has read from a connection, since the last one, at least twice the bytes of
/// bodies that it has delivered. So neither a handler that blocks nor a machine that is busy is mistaken for
/// a flood, and neither are large bodies. Bodies that libcurl may keep until it delivers them are allowed.
struct FloodMeter {
    /// The time that a flood may hold libcurl; a public figure of SECURITY.md.
    static let limit = Duration.milliseconds(400)
    static let interval = Duration.milliseconds(50)
    static let minBytes = 64 << 10
    /// The most bytes that libcurl may keep of the bodies of a connection, for which a flood may be mistaken;
    /// a public figure of SECURITY.md.
    static let maxKeptBytes = 128 << 20
    /// The interval before the first reading counts as one of the limit.
    private static let maxReadings = Int(limit / interval) - 1

    private var call = 0
    private var readings = 0
    /// The bytes that libcurl had read from each socket, and had delivered, at the last reading.
    private var read: [CInt: Int] = [:]
    private var delivered = 0
    /// The bytes from each socket that deliveries do not explain. They explain bytes that were read before,
    /// because libcurl reads bodies before it delivers them, but no later ones.
    private var excess: [CInt: Int] = [:]

    /// Takes a reading during the call of libcurl with the number `call`. Returns the socket to shut down.
    ///
    /// - Parameter kept: The bytes that libcurl may keep of the bodies of each socket.
    mutating func take(
        call: Int, delivered: Int, read: [CInt: Int], kept: [CInt: Int] = [:]
    ) -> CInt? {
        defer { (self.call, self.delivered, self.read) = (call, delivered, read) }
        guard call == self.call else {
            (readings, excess) = (0, [:])
            return nil
        }
        let explained = 2 * (delivered - self.delivered)
        // A smaller number is a new connection with the old descriptor.
        let grown = read.map { (socket: $0, bytes: max(0, $1 - (self.read[$0] ?? $1))) }
        for (socket, bytes) in grown {
            excess[socket] = max(0, excess[socket, default: 0] + bytes - explained)
        }
        guard grown.contains(where: { $0.bytes > explained }) else { return nil }
        readings += 1
        guard readings >= Self.maxReadings,
            let flood = excess.filter({ $0.value >= Self.minBytes + kept[$0.key, default: 0] })
                .max(by: { $0.value < $1.value })
        else { return nil }
        (readings, excess) = (0, [:])
        return flood.key
    }
}
