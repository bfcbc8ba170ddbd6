/// The images that a program requests, in order.
struct Trace {
    /// The fixed cost of a miss in bytes: opening the file and reading its header.
    static let fixedCost = 200_000

    let name: String
    /// The images by number.
    let requests: [Int32]
    /// Bytes of each image in memory.
    let sizes: [Int]

    /// `requests` are numbers below `sizes.count`; images that are never requested are removed.
    init(_ name: String, requests: [Int], sizes: [Int]) {
        self.name = name
        var numbers = [Int32](repeating: -1, count: sizes.count)
        var used: [Int] = []
        self.requests = requests.map { image in
            if numbers[image] < 0 {
                numbers[image] = Int32(used.count)
                used.append(sizes[image])
            }
            return numbers[image]
        }
        self.sizes = used
    }

    /// Bytes of all images.
    var footprint: Int { sizes.reduce(0, +) }
}
