import Foundation
import KingfisherTestSupport

/// Makes traces of several families, deterministically by seed.
struct TraceMaker {
    /// The approximate number of requests of a trace.
    let length: Int
    var random: SeededGenerator

    init(seed: UInt64, length: Int = 300_000) {
        random = SeededGenerator(seed: seed)
        self.length = length
    }

    /// One trace of each family.
    mutating func all() -> [Trace] {
        [
            zipf(0.7), zipf(0.9), zipf(1.1), feed(), gallery(), network(.encoded), network(.decoded),
            crawled(),
        ]
    }

    /// Independent requests; the k-th most popular image is requested k^-`exponent` times as often as the
    /// first.
    mutating func zipf(_ exponent: Double) -> Trace {
        let popularity = Zipf(length / 15, exponent)
        let sizes = Sizes.decoded.draw(length / 15, using: &random)
        let requests = (0..<length).map { _ in popularity.draw(using: &random) }
        return Trace("zipf \(exponent)", requests: requests, sizes: sizes)
    }

    /// Requests to a content delivery network: popularity drifts, and three of ten requests are for images
    /// that are not requested again.
    mutating func network(_ sizes: Sizes) -> Trace {
        let core = length / 12
        let popularity = Zipf(core, 0.88)
        var requests: [Int] = []
        var next = 2 * core
        for index in 0..<length {
            if Double.random(in: 0..<1, using: &random) < 0.3 {
                requests.append(next)
                next += 1
            } else {
                // Popular images are replaced one by one by new ones.
                let image = popularity.draw(using: &random)
                let rank = (image &* 7919) % core
                let hasFaded = rank < index / 50 % core
                requests.append(hasFaded ? core + image : image)
            }
        }
        let name = "network \(sizes == .encoded ? "files" : "pixels")"
        return Trace(name, requests: requests, sizes: sizes.draw(next, using: &random))
    }

    /// Users who browse by popularity, and occasionally a crawler that reads each of many images once.
    mutating func crawled() -> Trace {
        let popular = length / 15
        let popularity = Zipf(popular, 0.9)
        var requests: [Int] = []
        var next = popular
        while requests.count < length {
            for _ in 0..<Int.random(in: 3_000...10_000, using: &random) {
                requests.append(popularity.draw(using: &random))
            }
            let scanned = Int.random(in: 300...4_000, using: &random)
            requests += next..<(next + scanned)
            next += scanned
        }
        return Trace("crawler", requests: requests, sizes: Sizes.decoded.draw(next, using: &random))
    }
}

/// Draws ranks, starting at 0, by Zipf's law.
struct Zipf {
    private let cumulated: [Double]

    init(_ count: Int, _ exponent: Double) {
        var sum = 0.0
        cumulated = (1...count).map { rank in
            sum += pow(Double(rank), -exponent)
            return sum
        }
    }

    func draw(using random: inout SeededGenerator) -> Int {
        let wanted = Double.random(in: 0..<(cumulated.last ?? 1), using: &random)
        var (low, high) = (0, cumulated.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulated[middle] > wanted { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

/// Sizes of images in bytes, distributed lognormally between two bounds.
struct Sizes: Equatable {
    let median: Double
    let sigma: Double
    let bounds: ClosedRange<Double>

    /// Decoded images of all kinds.
    static let decoded = Sizes(median: 400_000, sigma: 1.3, bounds: 10_000...20_000_000)
    /// Compressed files.
    static let encoded = Sizes(median: 28_000, sigma: 0.9, bounds: 4_000...200_000)

    func draw(_ count: Int, using random: inout SeededGenerator) -> [Int] {
        (0..<count).map { _ in
            // A normal deviate (Box and Muller).
            let radius = (-2 * log(Double.random(in: .leastNonzeroMagnitude..<1, using: &random)))
                .squareRoot()
            let normal = radius * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
            return Int(min(max(median * exp(sigma * normal), bounds.lowerBound), bounds.upperBound))
        }
    }
}

extension SeededGenerator {
    /// The number of trials until one with probability `1 / mean` succeeds.
    mutating func trials(mean: Double) -> Int {
        let draw = Double.random(in: .leastNonzeroMagnitude..<1, using: &self)
        return 1 + Int(log(draw) / log(1 - 1 / mean))
    }
}
