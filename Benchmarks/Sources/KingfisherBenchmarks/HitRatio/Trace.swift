/// The pictures that a program asks for, one after another.
struct Trace {
    /// What a picture costs to bring back apart from its bytes, in bytes: opening it and reading its header.
    static let fixedCost = 200_000

    let name: String
    /// The pictures by number.
    let requests: [Int32]
    /// Bytes of each picture in memory.
    let sizes: [Int]

    /// `requests` name pictures by any numbers below `sizes.count`; those that are never asked for are left
    /// out.
    init(_ name: String, requests: [Int], sizes: [Int]) {
        self.name = name
        var numbers = [Int32](repeating: -1, count: sizes.count)
        var used: [Int] = []
        self.requests = requests.map { picture in
            if numbers[picture] < 0 {
                numbers[picture] = Int32(used.count)
                used.append(sizes[picture])
            }
            return numbers[picture]
        }
        self.sizes = used
    }

    /// Bytes of all its pictures.
    var footprint: Int { sizes.reduce(0, +) }
}
