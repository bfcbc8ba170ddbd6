/// The images that a program asks for, one after another.
struct Trace {
    /// What an image costs to bring back apart from its bytes, in bytes: opening it and reading its header.
    static let fixedCost = 200_000

    let name: String
    /// The images by number.
    let requests: [Int32]
    /// Bytes of each image in memory.
    let sizes: [Int]

    /// `requests` name images by any numbers below `sizes.count`; those that are never asked for are left
    /// out.
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

    /// Bytes of all its images.
    var footprint: Int { sizes.reduce(0, +) }
}
