import Foundation

/// The entries of the disk cache rows: keys of 80 characters, and bytes that cannot be compressed.
struct DiskEntries {
    /// The number of digits at the end of a key, including the number of its entry.
    static let digits = 44

    let keys: [String]
    let sizes: [Int]
    private let block: Data

    /// Sizes come from a file with one number per line, so that engines in other languages use the same.
    init(sizes path: String) throws {
        sizes = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            guard let size = Int(line) else { throw BenchmarkError("\(line) is not a size") }
            return size
        }
        keys = sizes.indices.map(Self.key)
        var random = SystemRandomNumberGenerator()
        block = Data((0..<(sizes.max() ?? 0)).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    static func key(_ number: Int) -> String {
        let number = String(number)
        return "https://images.example.org/albums/" + String(repeating: "0", count: digits - number.count)
            + number
    }

    func data(_ number: Int) -> Data { block.prefix(sizes[number]) }

    /// Random entry numbers, the same in every process.
    func random(_ count: Int) -> [Int] {
        var state: UInt64 = 20
        return (0..<count).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(keys.count))
        }
    }
}
