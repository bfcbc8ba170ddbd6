import Foundation

/// Encodes an image again until its file has at most `maximumBytes`.
///
/// The sizes of two attempts, one above and one within the limit, determine the next level: the logarithm of
/// the size is roughly proportional to quality.
struct EncodingSearch {
    static let maximumAttempts = 6
    /// A file of at least this part of the limit is good enough.
    private static let enough = 0.97

    private let maximumBytes: Int
    private var attempts = 0
    /// The best file within the limit.
    private var best: Data?
    private var smallest = Int.max
    /// Levels and sizes of the nearest attempts.
    private var within: (level: Double, size: Int)?
    private var above: (level: Double, size: Int)?
    /// Whether the last attempt was within the limit.
    private var lastFits: Bool?

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    /// Calls `encode` with options at decreasing levels: of quality for a lossy encoding, or of colours if
    /// `options` limits them. Otherwise only once.
    mutating func run(
        _ options: ImageEncodingOptions, with capabilities: CodecCapabilities,
        _ encode: (ImageEncodingOptions) throws(ImageCodecError) -> Data
    ) throws(ImageCodecError) -> Data {
        let scale = Scale(options, capabilities)
        var level: Double? = 1
        while let current = level {
            let file = try encode(scale.options(options, at: current))
            level = next(after: file, at: current, canChange: scale != .nothing)
        }
        guard let best else { throw .tooManyBytes(smallest: smallest, limit: maximumBytes) }
        return best
    }

    /// The level of the next attempt; nil at the end.
    private mutating func next(after file: Data, at level: Double, canChange: Bool) -> Double? {
        attempts += 1
        smallest = min(smallest, file.count)
        let fits = file.count <= maximumBytes
        let repeats = fits == lastFits
        lastFits = fits
        if fits {
            (best, within) = (file, (level, file.count))
        } else {
            above = (level, file.count)
        }
        guard let above, canChange, attempts < Self.maximumAttempts, above.level > 0 else { return nil }
        guard let within else {
            // The lowest level last, because it alone tells whether the limit can be reached.
            if attempts == Self.maximumAttempts - 1 { return 0 }
            let ratio = Double(max(maximumBytes, 0)) / Double(above.size)
            // Rather too low than too high, because between two attempts the next one is accurate.
            return above.level * min(max(attempts == 1 ? ratio : ratio / 2, 0.05), 0.9)
        }
        guard Double(within.size) < Double(maximumBytes) * Self.enough else { return nil }
        let range = log(Double(above.size) / Double(within.size))
        var share = range > 0 ? log(Double(maximumBytes) / Double(within.size)) / range : 0.5
        // The curve is bent; a second attempt on one side means that the estimate falls short.
        if repeats { share = fits ? max(share, 0.5) : min(share, 0.5) }
        return within.level + (above.level - within.level) * min(max(share, 0.1), 0.9)
    }

    /// What a level from 0 to 1 changes.
    private enum Scale {
        case quality
        case colors
        case nothing

        init(_ options: ImageEncodingOptions, _ capabilities: CodecCapabilities) {
            if capabilities.contains(.encodesLossy), !options.isLossless {
                self = .quality
            } else if capabilities.contains(.encodesPalette), options.maximumColors != nil {
                self = .colors
            } else {
                self = .nothing
            }
        }

        func options(_ options: ImageEncodingOptions, at level: Double) -> ImageEncodingOptions {
            var result = options
            switch self {
            case .quality:
                let highest = options.quality.isNaN ? 1 : min(max(options.quality, 0), 1)
                result.quality = highest * level
            case .colors:
                // From two colours to all, in equal steps of bits.
                result.maximumColors = Int(pow(2, 1 + level * (log2(Double(options.paletteColors)) - 1)))
            case .nothing: break
            }
            return result
        }
    }
}
