import Foundation
import Kingfisher
import KingfisherTestSupport

/// The images of a fleet, and how often each is requested.
struct Catalogue: Sendable {
    let settings: FleetSettings
    /// The share of requests for images up to each rank.
    private let cumulated: [Double]

    init(_ settings: FleetSettings) {
        self.settings = settings
        var sum = 0.0
        let sums = (1...settings.images).map { rank in
            sum += pow(Double(rank), -settings.popularity)
            return sum
        }
        cumulated = sums.map { $0 / sum }
    }

    /// The image of a number from 0 to 1.
    func image(at share: Double) -> Int {
        var (low, high) = (0, cumulated.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulated[middle] > share { high = middle } else { low = middle + 1 }
        }
        return low
    }

    func key(_ image: Int) -> TierKey {
        TierKey(cacheKey: "https://example.com/\(image).jpg", processorIdentifier: "downsampled(300x300)")
    }

    /// The number of bytes, at most 8 MB.
    func size(_ image: Int) -> Int {
        var generator = SeededGenerator(seed: settings.seed &* 0x9E37_79B9 &+ UInt64(image))
        let (first, second) = (
            Double.random(in: 0..<1, using: &generator), Double.random(in: 0..<1, using: &generator)
        )
        let normal = sqrt(-2 * log(1 - first)) * cos(2 * .pi * second)
        return min(8_000_000, max(200, Int(settings.medianSize * exp(settings.sizeSpread * normal))))
    }

    /// The file that bytes are; nil if they are not that of the image.
    func file(_ data: Data, of image: Int) -> ModelledFile? {
        ModelledFile(data).flatMap { $0.image == image && $0.size == size(image) ? $0 : nil }
    }

    func isMissing(_ image: Int) -> Bool {
        var generator = SeededGenerator(seed: settings.seed &+ UInt64(image) &* 0xBF58_476D)
        return Double.random(in: 0..<1, using: &generator) < settings.missing
    }
}
