/// Finds the connection that keeps libcurl from returning: a value.
///
/// A reading counts if libcurl has read from a connection, since the last one, at least twice the bytes of
/// bodies that it has delivered. So neither a handler that blocks nor a machine that is busy is mistaken for
/// a flood, and neither are large bodies.
struct FloodMeter {
    /// The time that a flood may hold libcurl; a public figure of SECURITY.md.
    static let limit = Duration.milliseconds(400)
    static let interval = Duration.milliseconds(50)
    static let minBytes = 64 << 10
    /// The interval before the first reading counts as one of the limit.
    private static let maxReadings = Int(limit / interval) - 1

    private var call = 0
    private var readings = 0
    /// The bytes that libcurl had read from each socket, and had delivered, at the last reading.
    private var read: [CInt: Int] = [:]
    private var delivered = 0
    private var growth: [CInt: Int] = [:]

    /// Takes a reading during the call of libcurl with the number `call`. Returns the socket to shut down.
    mutating func take(call: Int, delivered: Int, read: [CInt: Int]) -> CInt? {
        defer { (self.call, self.delivered, self.read) = (call, delivered, read) }
        guard call == self.call else {
            (readings, growth) = (0, [:])
            return nil
        }
        // A smaller number is a new connection with the old descriptor.
        let grown = read.map { (socket: $0, bytes: max(0, $1 - (self.read[$0] ?? $1))) }
        guard let largest = grown.map(\.bytes).max(), largest > 2 * (delivered - self.delivered) else {
            return nil
        }
        readings += 1
        for (socket, bytes) in grown { growth[socket, default: 0] += bytes }
        guard readings >= Self.maxReadings, let flood = growth.max(by: { $0.value < $1.value }),
            flood.value >= Self.minBytes
        else { return nil }
        (readings, growth) = (0, [:])
        return flood.key
    }
}
